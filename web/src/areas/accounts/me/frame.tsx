/** The pages about oneself, with the way between them. */
import type { ReactNode } from "react";
import { joinClasses } from "../../../ui/classes.ts";
import { PageHead } from "../../../ui/page.tsx";
import { SectionNav, type SectionPage } from "../../../ui/section-nav.tsx";

const PAGES: readonly SectionPage[] = [
	{ to: "/me/profile", label: "Profile" },
	{ to: "/me/security", label: "Security" },
	{ to: "/me/tokens", label: "API tokens" },
	{ to: "/me/appearance", label: "Appearance and keys" },
];

interface MeFrameProps {
	readonly title: string;
	readonly facts?: ReactNode;
	readonly actions?: ReactNode;
	/** Without: as wide as a form. */
	readonly wide?: boolean;
	readonly children: ReactNode;
}

export function MeFrame({ title, facts, actions, wide = false, children }: MeFrameProps) {
	return (
		<>
			<PageHead title={title} crumbs={[{ label: "Your account" }]} facts={facts} actions={actions} />
			<SectionNav label="Your account" pages={PAGES} />
			<div className={joinClasses("flex flex-col gap-3 px-5 py-4 max-sm:px-4", !wide && "max-w-3xl")}>{children}</div>
		</>
	);
}
