/** The pages about oneself, with the way between them. */
import type { ReactNode } from "react";
import { PageHead } from "../../ui/page.tsx";
import { SectionNav, type SectionPage } from "../../ui/section-nav.tsx";

const PAGES: readonly SectionPage[] = [
	{ to: "/me/profile", label: "Profile" },
	{ to: "/me/security", label: "Security" },
	{ to: "/me/notifications", label: "Notifications" },
	{ to: "/me/appearance", label: "Appearance and keys" },
];

export function MeFrame({ title, facts, children }: { title: string; facts?: ReactNode; children: ReactNode }) {
	return (
		<>
			<PageHead title={title} crumbs={[{ label: "Your account" }]} facts={facts} />
			<SectionNav label="Your account" pages={PAGES} />
			<div className="flex max-w-3xl flex-col gap-3 px-5 py-4 max-sm:px-4">{children}</div>
		</>
	);
}
