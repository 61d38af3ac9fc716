/** Automation templates: jobs of the automation server with the columns of their rows. */
import { getRouteApi, Link } from "@tanstack/react-router";
import type { AutomationTemplate } from "@weft/contracts";
import { automationTemplateRoutes } from "@weft/contracts/browser";
import { FileStack, Plus } from "lucide-react";
import { useState } from "react";
import { useAnswer } from "../../platform/call.ts";
import { formatCount, formatPlural } from "../../platform/format.ts";
import { useMay } from "../../platform/profile.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { CopyAs } from "../../ui/copy-as.tsx";
import { Banner, Empty, Loaded, PageHead } from "../../ui/page.tsx";
import { Pill } from "../../ui/pill.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { type Column, Pager, Table } from "../../ui/table.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import { hasSource, type SourceSearch } from "./source-rows.ts";

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
				crumbs={[{ label: "Automation" }]}
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
									<List rows={results} source={source} />
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

function List({ rows, source }: { rows: readonly AutomationTemplate[]; source: SourceSearch }) {
	const may = useMay();
	const canAsk = may("add_automationrequest");
	const columns: Column<AutomationTemplate>[] = [
		{
			key: "name",
			head: "Template",
			className: "min-w-44",
			cell: ({ id, name, description }) => (
				<span className="flex min-w-0 items-baseline gap-2">
					<Link
						to="/automation/templates/$id"
						params={{ id }}
						className="truncate rounded-cell font-medium hover:underline"
						title={name}
					>
						{name}
					</Link>
					<span className="truncate text-muted text-xs">{description}</span>
				</span>
			),
		},
		{ key: "kind", head: "Kind", cell: ({ kind }) => (kind === "workflow" ? "Workflow" : "Job") },
		{
			key: "server",
			head: "Server",
			cell: ({ automation_connection_name }) => (
				<span className="block max-w-36 truncate text-muted">{automation_connection_name}</span>
			),
		},
		{
			key: "columns",
			head: "Columns",
			align: "right",
			cell: ({ schema, sheets }) =>
				formatCount(schema.length + sheets.reduce((sum, sheet) => sum + sheet.columns.length, 0)),
		},
		{
			key: "rights",
			head: "Access",
			cell: ({ is_public, allowed_groups, requires_approval }) => (
				<span className="flex gap-1.5">
					<Pill>
						{is_public
							? "All users"
							: allowed_groups.length > 0
								? formatPlural(allowed_groups.length, "group")
								: "Private"}
					</Pill>
					{requires_approval && <Pill tone="warn">Needs approval</Pill>}
				</span>
			),
		},
		{ key: "requests", head: "Requests", align: "right", cell: ({ request_count }) => formatCount(request_count) },
		{
			key: "verbs",
			sticky: true,
			head: <span className="sr-only">Verbs</span>,
			align: "right",
			cell: ({ id, name }) =>
				canAsk && (
					<ButtonLink to="/automation/requests/new" search={{ template: id, ...source }}>
						New request<span className="sr-only"> with {name}</span>
					</ButtonLink>
				),
		},
	];
	return <Table label="Templates" columns={columns} rows={rows} getKey={({ id }) => id} />;
}
