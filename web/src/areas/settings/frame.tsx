/** The pages about data and defaults, with the way between those that a person may see. */
import { useRouterState } from "@tanstack/react-router";
import { useMay } from "../../platform/profile.ts";
import { findPermissionFor } from "../../shell/pages.ts";
import { SectionFrame, type SectionFrameProps, SectionNav } from "../../ui/section-nav.tsx";
import { AutomationNav, isAutomationPage } from "../automation/automation-nav.tsx";

const PAGES = [
	{ to: "/settings/retention", label: "Retention" },
	{ to: "/settings/tasks", label: "Schedule defaults" },
	{ to: "/settings/categories/queries", label: "Query categories" },
	{ to: "/settings/reference/lists", label: "Value lists" },
	{ to: "/settings/reference/patterns", label: "Regex patterns" },
	{ to: "/settings/reference/columns", label: "Column templates" },
	{ to: "/settings/table-templates", label: "Table templates" },
] as const;

export function SettingsFrame(props: SectionFrameProps) {
	const may = useMay();
	const path = useRouterState({ select: ({ location }) => location.pathname });
	const shown = PAGES.filter(({ to }) => {
		const permission = findPermissionFor(to);
		return permission === null || may(permission);
	});
	return (
		<SectionFrame
			crumb="Settings"
			nav={isAutomationPage(path) ? <AutomationNav /> : <SectionNav label="Data" pages={shown} />}
			{...props}
		/>
	);
}
