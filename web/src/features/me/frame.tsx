/** The pages about oneself, with the way between them. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { PageHead } from "../../ui/page.tsx";

const PAGES = [
	["/me/profile", "Profile"],
	["/me/security", "Security"],
	["/me/notifications", "Notifications"],
	["/me/appearance", "Appearance and keys"],
] as const;

export function MeFrame({ title, facts, children }: { title: string; facts?: ReactNode; children: ReactNode }) {
	return (
		<>
			<PageHead title={title} crumbs={[{ label: "Your account" }]} facts={facts} />
			<nav aria-label="Your account" className="flex gap-1 border-line border-b px-4">
				{PAGES.map(([to, label]) => (
					<Link
						key={to}
						to={to}
						className="-mb-px border-transparent border-b-2 px-2 py-1.5 text-muted hover:text-fg"
						activeProps={{ className: "border-accent! text-accent-text! font-medium" }}
					>
						{label}
					</Link>
				))}
			</nav>
			<div className="flex max-w-3xl flex-col gap-3 px-5 py-4 max-sm:px-4">{children}</div>
		</>
	);
}
