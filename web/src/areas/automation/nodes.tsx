/** The nodes of a workflow: how each stands, and the output of its job. */
import { getRouteApi, Link } from "@tanstack/react-router";
import type { AutomationExecution, AutomationNode } from "@weft/contracts";
import { automationExecutionRoutes } from "@weft/contracts/browser";
import { useAnswer } from "../../platform/call.ts";
import { formatDuration } from "../../platform/format.ts";
import { saveFile } from "../../platform/save-file.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Empty, Loaded } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { showProblem } from "../../ui/toast.tsx";
import { OutputView } from "./output-view.tsx";
import { readNodeOutput, useNodeOutput } from "./use-output.ts";
import { ExecutionStatus, isExecutionOver } from "./words.tsx";
import { WorkflowDrawings } from "./workflow-drawing.tsx";

const route = getRouteApi("/app/automation/executions/$id");
const POLL_MS = 3_000;

export function Nodes({ execution: { id, status } }: { execution: AutomationExecution }) {
	const { node } = route.useSearch();
	const answer = useAnswer(
		automationExecutionRoutes.nodes,
		{ params: { id } },
		{ every: isExecutionOver(status) ? false : POLL_MS },
	);
	return (
		<Loaded answer={answer} lines={4}>
			{({ nodes }) => {
				const shown = nodes.find(({ job_id }) => job_id !== null && String(job_id) === node);
				if (shown?.job_id) return <NodeOutput key={shown.job_id} executionId={id} node={shown} jobId={shown.job_id} />;
				return nodes.length === 0 ? (
					<Empty>The workflow has no nodes yet.</Empty>
				) : (
					<>
						<WorkflowDrawings nodes={nodes} />
						<List nodes={nodes} />
					</>
				);
			}}
		</Loaded>
	);
}

function List({ nodes }: { nodes: readonly AutomationNode[] }) {
	const columns: Column<AutomationNode>[] = [
		{
			key: "name",
			head: "Node",
			cell: ({ name, identifier, job_id }) =>
				job_id === null ? (
					name || identifier
				) : (
					<Link
						from="/automation/executions/$id"
						search={{ tab: "nodes", node: String(job_id) }}
						className="rounded-cell font-medium hover:underline"
					>
						{name || identifier}
					</Link>
				),
		},
		{ key: "status", head: "State", cell: (node) => <ExecutionStatus status={node.status} /> },
		{ key: "type", head: "Type", cell: ({ type }) => <span className="text-muted">{type}</span> },
		{ key: "job", head: "Job", align: "right", cell: ({ job_id }) => job_id ?? "-" },
		{ key: "elapsed", head: "Duration", align: "right", cell: ({ elapsed }) => formatDuration(elapsed * 1000) },
	];
	return <Table label="Workflow nodes" columns={columns} rows={nodes} getKey={(node) => String(node.id)} />;
}

interface NodeOutputProps {
	readonly executionId: string;
	readonly node: AutomationNode;
	readonly jobId: number;
}

function NodeOutput({ executionId, node, jobId }: NodeOutputProps) {
	const output = useNodeOutput(executionId, jobId);
	const download = () =>
		readNodeOutput(executionId, jobId).then(
			(text) => saveFile(`job-${jobId}.txt`, "text/plain", text),
			(error: unknown) => showProblem(error),
		);
	return (
		<div className="flex h-full min-h-0 flex-col">
			<div className="flex items-center gap-3 border-line border-b bg-surface px-3 py-1.5">
				<ButtonLink to="/automation/executions/$id" params={{ id: executionId }} search={{ tab: "nodes" }}>
					All nodes
				</ButtonLink>
				<span className="min-w-0 truncate font-medium">{node.name || node.identifier}</span>
				<ExecutionStatus status={node.status} />
				<span className="num text-muted">Job {jobId}</span>
			</div>
			<OutputView output={output} isOver={output.isComplete} onDownload={() => void download()} />
		</div>
	);
}
