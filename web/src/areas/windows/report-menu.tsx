/** The report of a change window in each format. */
import type { ChangeWindow } from "@weft/contracts";
import { changeWindowRoutes, REPORT_FORMATS, type ReportFormat } from "@weft/contracts/browser";
import { FileDown } from "lucide-react";
import { callRoute, useAction } from "../../platform/call.ts";
import { saveFile } from "../../platform/save-file.ts";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { showProblem } from "../../ui/toast.tsx";

const FORMATS: Readonly<Record<ReportFormat, readonly [label: string, ending: string, type: string]>> = {
	html: ["Page that prints (HTML)", "html", "text/html"],
	md: ["Markdown", "md", "text/markdown"],
	json: ["JSON", "json", "application/json"],
	junit: ["JUnit (XML)", "xml", "application/xml"],
	csv: ["Findings (CSV)", "csv", "text/csv"],
	text: ["Work note (text)", "txt", "text/plain"],
};

export function ReportMenu({ window }: { window: ChangeWindow }) {
	const download = useAction(
		async (format: ReportFormat) => {
			const text: unknown = await callRoute(changeWindowRoutes.report, {
				params: { id: window.id },
				query: { format },
			});
			const [, ending, type] = FORMATS[format];
			const content = typeof text === "string" ? text : JSON.stringify(text, null, 2);
			saveFile(`${window.ticket?.number ?? window.title}.${ending}`, type, content);
		},
		{ onError: (error: unknown) => showProblem(error, "The report could not be written") },
	);
	if (window.opened_at === null && window.gate === null) return null;
	return (
		<Menu
			trigger={
				<Button icon={FileDown} busy={download.isPending}>
					Report
				</Button>
			}
			groups={[REPORT_FORMATS.map((format) => ({ label: FORMATS[format][0], run: () => download.mutate(format) }))]}
		/>
	);
}
