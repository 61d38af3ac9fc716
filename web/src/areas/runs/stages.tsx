/** Stages of a run: input, requests and output. */
import type { PipelineStage } from "@weft/contracts";
import { formatCount, formatDuration, formatPlural } from "../../platform/format.ts";
import { Banner } from "../../ui/page.tsx";
import { Pill, Status } from "../../ui/pill.tsx";
import { RequestText } from "../../ui/request-text.tsx";
import type { NodeRuns } from "./frames.ts";

const INJECTED: Readonly<Record<string, string>> = {
	filter_values: "as values of a filter",
	dn_scope: "as parent DNs",
	iterate: "one request per value",
};

const TONES = { reading: "accent", done: "ok", failed: "bad", stopped: "neutral" } as const;

export function Stages({ stages, nodes }: { stages: readonly PipelineStage[]; nodes: NodeRuns }) {
	return (
		<ol className="m-0 flex max-w-4xl list-none flex-col gap-3 p-5 max-sm:p-4">
			{stages.map((stage) => (
				<li key={stage.index} className="rounded-card border border-line bg-surface">
					<Head stage={stage} />
					<div className="flex flex-col gap-2.5 p-3">
						{stage.error && <Banner tone="bad" title={stage.error} />}
						{stage.inputs.source_stages.length > 0 && (
							<p className="m-0 text-muted">
								Takes {formatPlural(stage.inputs.value_count, "value")} of stage{" "}
								{stage.inputs.source_stages.map((index) => index + 1).join(", ")}
								{stage.inject_mode && ` ${INJECTED[stage.inject_mode] ?? stage.inject_mode}`}
								{stage.inputs.sample.length > 0 && (
									<>
										: <span className="mono">{stage.inputs.sample.slice(0, 3).join(", ")}</span>
										{stage.inputs.value_count > 3 && " …"}
									</>
								)}
							</p>
						)}
						<ul className="m-0 flex list-none flex-wrap gap-1.5 p-0">
							{stage.node_ids.map((id) => {
								const run = nodes[id];
								return (
									<li key={id}>
										<Pill tone={run ? TONES[run.state] : "neutral"}>
											<span className="mono">{id}</span>
											{run && run.rows !== null && ` ${formatCount(run.rows)}`}
										</Pill>
									</li>
								);
							})}
						</ul>
						{stage.queries.map((path) => (
							<RequestText key={path} path={path} />
						))}
						{stage.request_count > stage.queries.length && (
							<p className="m-0 text-muted text-xs">
								and {formatPlural(stage.request_count - stage.queries.length, "more request")} of the same kind
							</p>
						)}
					</div>
				</li>
			))}
		</ol>
	);
}

function Head({ stage }: { stage: PipelineStage }) {
	return (
		<header className="flex flex-wrap items-center gap-2 border-line border-b px-3 py-2">
			<h2 className="m-0 font-semibold text-base">
				Stage {stage.index + 1}: <span className="mono text-base!">{stage.class_name}</span>
			</h2>
			<Status status={stage.status} />
			<span className="num ml-auto text-muted">
				{formatPlural(stage.outputs.result_count, "row")}, {formatPlural(stage.request_count, "request")}
				{stage.execution_time_ms !== null && `, ${formatDuration(stage.execution_time_ms)}`}
			</span>
		</header>
	);
}
