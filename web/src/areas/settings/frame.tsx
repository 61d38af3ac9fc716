/** The pages about data and defaults, with the way between those that a person may see. */
import type { ReactNode } from "react";
import { useMay } from "../../platform/profile.ts";
import { findPermissionFor } from "../../shell/pages.ts";
import { PageHead } from "../../ui/page.tsx";
import { SectionNav } from "../../ui/section-nav.tsx";

const PAGES = [
	{ to: "/settings/retention", label: "Retention" },
	{ to: "/settings/tasks", label: "Schedule defaults" },
	{ to: "/settings/categories/queries", label: "Query categories" },
	{ to: "/settings/categories/templates", label: "Template categories" },
	{ to: "/settings/reference/lists", label: "Value lists" },
	{ to: "/settings/reference/patterns", label: "Regex patterns" },
	{ to: "/settings/reference/columns", label: "Column templates" },
	{ to: "/settings/table-templates", label: "Table templates" },
	{ to: "/settings/webhooks", label: "Webhooks" },
] as const;

interface SettingsFrameProps {
	readonly title: string;
	readonly facts?: ReactNode;
	readonly actions?: ReactNode;
	readonly children: ReactNode;
}

export function SettingsFrame({ title, facts, actions, children }: SettingsFrameProps) {
	const may = useMay();
	const shown = PAGES.filter(({ to }) => {
		const permission = findPermissionFor(to);
		return permission === null || may(permission);
	});
	return (
		<>
			<PageHead title={title} crumbs={[{ label: "Settings" }]} facts={facts} actions={actions} />
			<SectionNav label="Data and defaults" pages={shown} />
			<div className="px-5 py-4 max-sm:px-4">{children}</div>
		</>
	);
}
