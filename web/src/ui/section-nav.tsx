/** The pages of one section: their head, and the links between them below it. */
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { PageHead } from "./page.tsx";

export interface SectionPage {
	readonly to: NonNullable<LinkProps["to"]>;
	readonly params?: Record<string, string>;
	readonly label: string;
}

export function SectionNav({ label, pages }: { label: string; pages: readonly SectionPage[] }) {
	return (
		<nav aria-label={label} className="flex flex-wrap gap-1 border-line border-b px-4">
			{pages.map(({ to, params, label: name }) => (
				<Link
					key={name}
					to={to}
					params={params as never}
					activeOptions={{ exact: true, includeSearch: false }}
					className="-mb-px border-transparent border-b-2 px-2 py-1.5 text-muted hover:text-fg"
					activeProps={{ className: "border-accent! text-accent-text! font-medium" }}
				>
					{name}
				</Link>
			))}
		</nav>
	);
}

export interface SectionFrameProps {
	readonly title: string;
	readonly facts?: ReactNode;
	readonly actions?: ReactNode;
	readonly children: ReactNode;
}

interface FrameOfProps extends SectionFrameProps {
	/** The part of the sidebar that has the section. */
	readonly crumb: string;
	readonly nav: ReactNode;
}

export function SectionFrame({ crumb, nav, title, facts, actions, children }: FrameOfProps) {
	return (
		<>
			<PageHead title={title} crumbs={[{ label: crumb }]} facts={facts} actions={actions} />
			{nav}
			<div className="px-5 py-4 max-sm:px-4">{children}</div>
		</>
	);
}
