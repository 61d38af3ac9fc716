/** The pages of the audit area, with the way between them. */
import { SectionFrame, type SectionFrameProps, SectionNav, type SectionPage } from "../../ui/section-nav.tsx";

const PAGES: readonly SectionPage[] = [
	{ to: "/audit", label: "Audit log" },
	{ to: "/audit/sign-ins", label: "Sign-ins" },
	{ to: "/audit/settings", label: "Settings" },
];

export const AuditFrame = (props: SectionFrameProps) => (
	<SectionFrame crumb="Administration" nav={<SectionNav label="Audit" pages={PAGES} />} {...props} />
);
