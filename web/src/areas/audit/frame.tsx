/** The pages of the audit area, with the way between them. */
import type { ReactNode } from "react";
import { PageHead } from "../../ui/page.tsx";
import { SectionNav, type SectionPage } from "../../ui/section-nav.tsx";

const PAGES: readonly SectionPage[] = [
	{ to: "/audit", label: "Audit log" },
	{ to: "/audit/sign-ins", label: "Sign-ins" },
	{ to: "/audit/settings", label: "Settings" },
];

interface AuditFrameProps {
	readonly title: string;
	readonly facts?: ReactNode;
	readonly actions?: ReactNode;
	readonly children: ReactNode;
}

export function AuditFrame({ title, facts, actions, children }: AuditFrameProps) {
	return (
		<>
			<PageHead title={title} crumbs={[{ label: "Administration" }]} facts={facts} actions={actions} />
			<SectionNav label="Audit" pages={PAGES} />
			<div className="px-5 py-4 max-sm:px-4">{children}</div>
		</>
	);
}
