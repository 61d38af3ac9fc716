/** The right panel: the selection or the whole query, and the planned controller requests. */
import { ArrowRightFromLine, Link2, Play, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { findProblem } from "../../../../platform/problem.ts";
import { useConnections, useTarget, useTargets } from "../../../../platform/target.ts";
import { Button } from "../../../../ui/button.tsx";
import { SelectField } from "../../../../ui/field.tsx";
import { Banner, Boundary } from "../../../../ui/page.tsx";
import { type CanvasNode, type Doc, getNode } from "../model/canvas.ts";
import { formatTitle, getName, KIND_NAMES } from "../model/describe.ts";
import { findSharedOutputs, separateOutputs } from "../model/edit.ts";
import { dropMissingVariables } from "../model/problems.ts";
import { useBuilder, useBuilderStore, useDoc } from "../store.ts";
import { type Plan, usePlan } from "../use-plan.ts";
import { FilterForm } from "./filter-form.tsx";
import { MissingVariables } from "./missing-variables.tsx";
import { ModelWarnings } from "./model-warnings.tsx";
import { ClassForm, EdgeForm, OutputForm, ProcessorForm } from "./node-forms.tsx";
import { QueryForm } from "./query-form.tsx";
import { StageExplanation } from "./stage-explanation.tsx";

/** Choice of a cost without the counts of a fabric. */
const TYPICAL = "typical";

interface InspectorProps {
	/** The document after a pause: what the plan is made for. */
	readonly settled: Doc;
	readonly canRun: boolean;
	onRunTo(nodeId: string): void;
	onConnect(nodeId: string): void;
	onRemove(): void;
}

export function Inspector({ settled, canRun, onRunTo, onConnect, onRemove }: InspectorProps) {
	const doc = useDoc();
	const selection = useBuilder((state) => state.selection);
	const problems = useBuilder((state) => state.problems);
	const target = useTarget();
	const [costFor, setCostFor] = useState<string | null>(null);
	const targets = useTargets();
	const chosen = costFor === TYPICAL ? null : (targets.find((each) => each.id === costFor) ?? target ?? null);
	// A plan without the connections would be made again with them.
	const counted = useConnections().isLoading ? undefined : chosen;
	const plan = usePlan(settled, counted);
	const [id] = selection;
	const node = selection.size === 1 ? getNode(doc, id) : undefined;
	const edge = selection.size === 1 ? doc.edges.find((each) => each.id === id) : undefined;
	const problem = dropMissingVariables((id === undefined ? undefined : problems.byId.get(id)) ?? "");
	const stages = plan.answer?.stages.filter((stage) => node === undefined || stage.node_ids.includes(node.id)) ?? [];
	return (
		<aside aria-label="Inspector" className="flex flex-col gap-3 overflow-y-auto p-3">
			<Boundary key={id ?? "query"}>
				<EdgeProblems doc={doc} />
				<MissingVariables />
				<ModelWarnings settled={settled} nodeId={node?.id} />
				{selection.size > 1 ? (
					<Section title={`${selection.size} chosen`}>
						<Button variant="danger" icon={Trash2} onClick={onRemove}>
							Delete them
						</Button>
					</Section>
				) : node ? (
					<Section title={formatTitle(node)} kind={KIND_NAMES[node.type]}>
						{problem !== "" && <Banner tone="bad" title={problem} />}
						<NodeForm node={node} stages={stages} />
						<div className="flex flex-wrap gap-2">
							{node.type === "classNode" && canRun && (
								<Button icon={Play} onClick={() => onRunTo(node.id)}>
									Run to here
								</Button>
							)}
							{node.type !== "outputNode" && (
								<Button icon={Link2} onClick={() => onConnect(node.id)}>
									Connect to
								</Button>
							)}
							<Button variant="danger" icon={Trash2} onClick={onRemove}>
								Delete
							</Button>
						</div>
					</Section>
				) : edge ? (
					<Section title={getName(doc, edge.id)} kind="Edge">
						<EdgeForm edge={edge} />
						<div>
							<Button variant="danger" icon={Trash2} onClick={onRemove}>
								Delete
							</Button>
						</div>
					</Section>
				) : (
					<QueryForm />
				)}
				<Requests
					plan={plan}
					stages={stages}
					general={problems.general}
					whole={node === undefined && edge === undefined}
				/>
				{plan.answer && targets.length > 0 && (
					<SelectField
						label="Cost for"
						value={counted?.id ?? TYPICAL}
						options={[
							...targets.map(({ id: value, name }) => ({ value, label: name })),
							{ value: TYPICAL, label: "a typical fabric" },
						]}
						onChange={(event) => setCostFor(event.target.value)}
					/>
				)}
			</Boundary>
		</aside>
	);
}

function NodeForm({ node, stages }: { node: CanvasNode; stages: RequestsProps["stages"] }) {
	switch (node.type) {
		case "startNode":
			return (
				<p className="m-0 flex items-start gap-2 text-muted">
					<ArrowRightFromLine size={14} className="mt-0.5 shrink-0" aria-hidden="true" />
					The query starts here. Classes connected to it are queried in the whole fabric.
				</p>
			);
		case "classNode":
			return <ClassForm key={node.id} node={node} />;
		case "filterNode":
			return <FilterForm key={node.id} node={node} />;
		case "postProcessorNode":
			return <ProcessorForm key={node.id} node={node} />;
		case "outputNode":
			return <OutputForm node={node} stages={stages} />;
	}
}

function Section({ title, kind, children }: { title: string; kind?: string; children: ReactNode }) {
	return (
		<section className="flex flex-col gap-2.5">
			<h2 className="m-0 flex items-baseline gap-2 text-base">
				<span className="mono min-w-0 flex-1 truncate font-semibold text-base!">{title}</span>
				{kind && <span className="font-normal text-muted text-xs">{kind}</span>}
			</h2>
			{children}
		</section>
	);
}

interface RequestsProps {
	readonly plan: Plan;
	readonly stages: NonNullable<Plan["answer"]>["stages"];
	readonly general: readonly string[];
	readonly whole: boolean;
}

function Requests({ plan: { answer, error, isLoading }, stages, general, whole }: RequestsProps) {
	const problem = error === null ? null : findProblem(error);
	const hasNodeProblem = useBuilder(({ problems, history }) =>
		history.now.nodes.some(({ id }) => problems.byId.has(id)),
	);
	return (
		<section className="flex flex-col gap-2.5 border-line border-t pt-3">
			<h2 className="m-0 font-semibold text-base">Controller requests</h2>
			{general
				.filter((message) => dropMissingVariables(message) !== "")
				.map((message) => (
					<Banner key={message} tone="bad" title={message} />
				))}
			{problem && problem.status !== 400 && <Banner tone="bad" title={`${problem.title}.`} detail={problem.detail} />}
			{problem?.status === 400 && general.length === 0 && whole && hasNodeProblem && (
				<Banner tone="bad" title="The canvas has errors." detail="They are marked on the nodes." />
			)}
			{answer && stages.length === 0 && (
				<p className="m-0 text-muted">{whole ? "No request yet." : "This node sends no request of its own."}</p>
			)}
			{answer === undefined && error === null && (
				<p className="m-0 text-muted">{isLoading ? "Planning …" : "Add a class to see its request."}</p>
			)}
			{stages.map((stage) => (
				<StageExplanation key={stage.index} stage={stage} numbered={(answer?.stages.length ?? 0) > 1} />
			))}
			{whole &&
				answer?.warnings.map((warning) =>
					warning.startsWith("Not counted: ") ? (
						<p key={warning} className="m-0 text-muted text-xs">
							{warning}
						</p>
					) : (
						<Banner key={warning} tone="warn" title={warning} />
					),
				)}
		</section>
	);
}

/** Problems of edges, whatever is selected: on the canvas an edge is easily missed. */
function EdgeProblems({ doc }: { doc: Doc }) {
	const store = useBuilderStore();
	const problems = useBuilder((state) => state.problems);
	return doc.edges.flatMap(({ id }) => {
		const problem = problems.byId.get(id);
		if (problem === undefined) return [];
		const canSeparate = findSharedOutputs(doc, id).length > 0;
		return [
			<Banner
				key={id}
				tone="bad"
				title={`${getName(doc, id)}:`}
				detail={
					canSeparate
						? "Both stages lead to the same output, which makes them one stage. The later stage needs an output of its own."
						: problem
				}
				action={
					canSeparate ? (
						<Button onClick={() => store.getState().edit((now) => separateOutputs(now, id))}>Add an output</Button>
					) : (
						<Button onClick={() => store.getState().select([id])}>Show the edge</Button>
					)
				}
			/>,
		];
	});
}
