/** The list pages about people, with the way between them. */
import { SectionFrame, type SectionFrameProps, SectionNav, type SectionPage } from "../../../ui/section-nav.tsx";

const PAGES: readonly SectionPage[] = [
	{ to: "/users", label: "Users" },
	{ to: "/groups", label: "Groups" },
	{ to: "/permissions", label: "Who may do what" },
	{ to: "/tokens", label: "API tokens" },
];

export const PeopleFrame = (props: SectionFrameProps) => (
	<SectionFrame crumb="Administration" nav={<SectionNav label="People" pages={PAGES} />} {...props} />
);
