/** Templates with their jobs, requesters and approvers. */
import { Link } from "@tanstack/react-router";
import type { AutomationTemplate } from "@weft/contracts";
import { formatCount } from "../../platform/format.ts";
import { showGroupName } from "../../platform/group-names.ts";
import { useMay } from "../../platform/profile.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { OutsideTextLink } from "../../ui/outside-link.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import type { SourceSearch } from "./source-rows.ts";

const joinGroups = (names: readonly string[]): string => names.map(showGroupName).join(", ");

/** Names the users who may make requests with a template. */
const describeRequesters = ({ is_public, allowed_group_names }: AutomationTemplate): string =>
	is_public ? "Everyone" : joinGroups(allowed_group_names) || "Its owner";

/** Names the users who decide on requests of a template. */
const describeApprovers = ({ requires_approval, approver_group_names }: AutomationTemplate): string =>
	requires_approval ? joinGroups(approver_group_names) || "Every approver" : "No approval needed";

/** Links the name of a template's job on the automation server, or its number. */
export function JobLink({ template }: { template: AutomationTemplate }) {
	const { automation_job_template_name: name, automation_job_template_id: id, kind } = template;
	return (
		<OutsideTextLink href={template.automation_job_template_url}>
			{name ?? `${kind === "workflow" ? "workflow" : "job template"} ${id}`}
		</OutsideTextLink>
	);
}

interface TemplatesTableProps {
	readonly rows: readonly AutomationTemplate[];
	/** Source of the rows of a new request. */
	readonly source: SourceSearch;
	/** Whether a click on the name of a template begins a request instead of opening the template. */
	readonly isPicker?: boolean;
}

export function TemplatesTable({ rows, source, isPicker = false }: TemplatesTableProps) {
	const may = useMay();
	const canAsk = may("add_automationrequest");
	const nameLook = "truncate rounded-cell font-medium hover:underline";
	const columns: Column<AutomationTemplate>[] = [
		{
			key: "name",
			head: "Template",
			className: "min-w-56 py-1.5",
			cell: ({ id, name, description }) => (
				<span className="flex min-w-0 flex-col items-start">
					{isPicker ? (
						<Link to="/automation/requests/new" search={{ template: id, ...source }} className={nameLook} title={name}>
							{name}
						</Link>
					) : (
						<Link to="/automation/templates/$id" params={{ id }} className={nameLook} title={name}>
							{name}
						</Link>
					)}
					<span className="line-clamp-2 text-muted text-xs">{description}</span>
				</span>
			),
		},
		{
			key: "job",
			head: "Job",
			cell: (template) => (
				<span className="flex flex-col items-start">
					<JobLink template={template} />
					<span className="text-muted text-xs">
						{template.kind === "workflow" ? "Workflow" : "Job"} of {template.automation_connection_name}
					</span>
				</span>
			),
		},
		{ key: "requesters", head: "Requesters", cell: describeRequesters },
		{ key: "approvers", head: "Approvers", cell: describeApprovers },
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
