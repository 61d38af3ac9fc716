/** The list pages of change windows and plans, with the way between them. */
import { SectionFrame, type SectionFrameProps, SectionNav, type SectionPage } from "../../ui/section-nav.tsx";

const PAGES: readonly SectionPage[] = [
	{ to: "/change-windows", label: "Change windows" },
	{ to: "/change-plans", label: "Plans" },
];

export const WindowsFrame = (props: SectionFrameProps) => (
	<SectionFrame crumb="Change" nav={<SectionNav label="Change windows" pages={PAGES} />} {...props} />
);
