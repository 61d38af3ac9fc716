/** Automation templates: jobs of the automation server with the columns of their rows. */
import { getRouteApi } from "@tanstack/react-router";
import { automationTemplateRoutes } from "@weft/contracts/browser";
import { FileStack, Plus } from "lucide-react";
import { useState } from "react";
import { useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useMay } from "../../platform/profile.ts";
import { Button } from "../../ui/button.tsx";
import { CopyAs } from "../../ui/copy-as.tsx";
import { Banner, Empty, Loaded, PageHead } from "../../ui/page.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { Pager } from "../../ui/table.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import { hasSource } from "./source-rows.ts";
import { TemplatesTable } from "./templates-table.tsx";

const route = getRouteApi("/app/automation/templates");
const SIZE = 50;

export function TemplatesPage() {
	const { q = "", page = "1", ...source } = route.useSearch();
	const navigate = route.useNavigate();
	const may = useMay();
	const [importing, setImporting] = useState(false);
	const query = { page, page_size: String(SIZE), ...(q === "" ? {} : { search: q }) };
	const answer = useAnswer(automationTemplateRoutes.list, { query }, { keepPrevious: true });
	const create = may("add_automationtemplate");
	const add = create && (
		<Button variant="primary" icon={Plus} onClick={() => setImporting(true)}>
			New template
		</Button>
	);
	return (
		<>
			<PageHead
				title="Templates"
				crumbs={[{ label: "Change" }]}
				facts={answer.data && formatPlural(answer.data.count, "template")}
				actions={
					<>
						<SearchField
							value={q}
							label="Filter templates"
							onChange={(text) =>
								void navigate({
									search: (before) => ({ ...before, q: text || undefined, page: undefined }),
									replace: true,
								})
							}
						/>
						<CopyAs call={() => ({ route: automationTemplateRoutes.list, query })} />
						{add}
					</>
				}
			/>
			<div className="px-5 pb-5 max-sm:px-4">
				<div className="overflow-hidden rounded-card border border-line bg-surface">
					{hasSource(source) && (
						<div className="p-2">
							<Banner
								tone="info"
								title={`Choose the template that takes the rows of the ${source.run === undefined ? "comparison" : "run"}.`}
							/>
						</div>
					)}
					<Loaded answer={answer} lines={6}>
						{({ results, count: all }) =>
							results.length === 0 ? (
								<Empty icon={FileStack} action={q === "" && add}>
									{q === ""
										? "A template names a job of the automation server, the columns of its rows, who may use it, and who approves."
										: "No template matches."}
								</Empty>
							) : (
								<>
									<TemplatesTable rows={results} source={source} />
									<Pager
										page={Number(page)}
										pageSize={SIZE}
										count={all}
										onPage={(to) => void navigate({ search: (before) => ({ ...before, page: String(to) }) })}
									/>
								</>
							)
						}
					</Loaded>
				</div>
			</div>
			{importing && <ImportDialog onClose={() => setImporting(false)} />}
		</>
	);
}
