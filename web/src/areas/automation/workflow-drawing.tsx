/** A drawing of a workflow's nodes with their states. A node with a job leads to its output. */
import { Link } from "@tanstack/react-router";
import type { AutomationNode } from "@weft/contracts";
import { useMemo } from "react";
import { formatDuration } from "../../platform/format.ts";
import { ExecutionStatus } from "./words.tsx";
import { drawWorkflow, NODE_PX, splitWorkflows } from "./workflow-layout.ts";

export function WorkflowDrawings({ nodes }: { nodes: readonly AutomationNode[] }) {
	const workflows = useMemo(() => splitWorkflows(nodes), [nodes]);
	return workflows.map(({ parent, nodes: own }) => (
		<Workflow
			key={parent?.id ?? "first"}
			nodes={own}
			name={parent === null ? null : parent.name || parent.identifier}
		/>
	));
}

interface WorkflowProps {
	readonly nodes: readonly AutomationNode[];
	/** The node that runs a nested workflow; null for the workflow of the execution. */
	readonly name: string | null;
}

function Workflow({ nodes, name }: WorkflowProps) {
	const drawing = useMemo(() => drawWorkflow(nodes), [nodes]);
	const label = name === null ? "Drawing of the workflow" : `Drawing of the workflow in ${name}`;
	return (
		<>
			{name !== null && <h3 className="m-0 px-3 pt-3 font-semibold text-base">In {name}</h3>}
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
			<section aria-label={label} tabIndex={0} className="overflow-auto border-line border-b">
				<div className="relative" style={{ width: drawing.width, height: drawing.height }}>
					<svg className="absolute inset-0 size-full" aria-hidden="true">
						<defs>
							<marker
								id="workflow-arrow"
								viewBox="0 0 8 8"
								refX="7"
								refY="4"
								markerWidth="7"
								markerHeight="7"
								orient="auto"
							>
								<path d="M0,0 L8,4 L0,8 z" className="fill-muted" />
							</marker>
						</defs>
						{drawing.edges.map(({ key, path }) => (
							<path key={key} d={path} className="fill-none stroke-muted" markerEnd="url(#workflow-arrow)" />
						))}
					</svg>
					{drawing.nodes.map(({ node, x, y }) => (
						<div key={node.id} className="absolute" style={{ left: x, top: y, ...NODE_PX }}>
							<Node node={node} />
						</div>
					))}
				</div>
			</section>
		</>
	);
}

const BOX = "flex size-full min-w-0 flex-col justify-center gap-0.5 rounded-card border border-line bg-surface px-2";

function Node({ node: { name, identifier, job_id, status, elapsed } }: { node: AutomationNode }) {
	const title = name || identifier;
	const content = (
		<>
			<span className="truncate font-medium">{title}</span>
			<span className="flex items-center gap-1.5 whitespace-nowrap text-xs">
				<ExecutionStatus status={status} />
				{elapsed > 0 && <span className="num text-muted">{formatDuration(elapsed * 1000)}</span>}
			</span>
		</>
	);
	if (job_id === null)
		return (
			<div className={BOX} title={title}>
				{content}
			</div>
		);
	return (
		<Link
			from="/automation/executions/$id"
			search={{ tab: "nodes", node: String(job_id) }}
			className={`${BOX} hover:bg-sunken`}
			title={title}
		>
			{content}
		</Link>
	);
}
