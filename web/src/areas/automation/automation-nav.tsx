/** Navigation between the settings of automation that the user may see. */
import { useMay } from "../../platform/profile.ts";
import { SectionNav } from "../../ui/section-nav.tsx";

const PAGES = [
	{ to: "/settings/automation", label: "Servers", permission: "view_automationconnection" },
	{ to: "/settings/categories/templates", label: "Template categories", permission: "view_automationcategory" },
] as const;

export const isAutomationPage = (path: string): boolean => PAGES.some(({ to }) => to === path);

export function AutomationNav() {
	const may = useMay();
	return <SectionNav label="Automation" pages={PAGES.filter(({ permission }) => may(permission))} />;
}
