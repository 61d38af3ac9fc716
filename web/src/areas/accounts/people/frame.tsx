/** The list pages about people, with the way between them. */
import type { ReactNode } from "react";
import { PageHead } from "../../../ui/page.tsx";
import { SectionNav, type SectionPage } from "../../../ui/section-nav.tsx";

const PAGES: readonly SectionPage[] = [
	{ to: "/users", label: "Users" },
	{ to: "/groups", label: "Groups" },
	{ to: "/permissions", label: "Permissions" },
	{ to: "/tokens", label: "API tokens" },
];

interface PeopleFrameProps {
	readonly title: string;
	readonly facts?: ReactNode;
	readonly actions?: ReactNode;
	readonly children: ReactNode;
}

export function PeopleFrame({ title, facts, actions, children }: PeopleFrameProps) {
	return (
		<>
			<PageHead title={title} crumbs={[{ label: "Administration" }]} facts={facts} actions={actions} />
			<SectionNav label="Users and groups" pages={PAGES} />
			<div className="px-5 py-4 max-sm:px-4">{children}</div>
		</>
	);
}
