/** The requests that a stage sends to the controller, and the reason for its strategy. */
import type { PlanAnswer } from "@weft/contracts";
import { formatPlural } from "../../../../platform/format.ts";
import { Pill } from "../../../../ui/pill.tsx";
import { RequestText } from "../../../../ui/request-text.tsx";

type Stage = PlanAnswer["stages"][number];

const STRATEGIES: Readonly<Record<string, string>> = {
	mo: "read by DN",
	class: "class query",
	"node-class": "class query on a node",
	join: "several steps",
};

/** Writes values that are not known yet, of variables and earlier requests, as `‹name›`. */
function markPlaceholders(path: string): string {
	return path
		.replaceAll(/%24%7B([\w-]+)%7D|\$\{([\w-]+)\}/gi, (_, encoded?: string, plain?: string) => `‹${encoded ?? plain}›`)
		.replaceAll(/%7B([\w.]+)%7D|\{([\w.]+)\}/gi, (_, encoded?: string, plain?: string) => `‹${encoded ?? plain}›`);
}

export function StageExplanation({ stage, numbered }: { stage: Stage; numbered: boolean }) {
	return (
		<div className="flex flex-col gap-1.5">
			<div className="flex flex-wrap items-center gap-1.5">
				{numbered && <span className="font-medium">Stage {stage.index + 1}</span>}
				<Pill tone="accent">{STRATEGIES[stage.strategy] ?? stage.strategy}</Pill>
				<span className="text-muted text-xs">about {formatPlural(stage.request_count_estimate, "request")}</span>
			</div>
			{stage.preview_queries.map((path) => (
				<RequestText key={path} path={markPlaceholders(path)} />
			))}
			<p className="m-0 text-muted text-xs">{stage.reason}</p>
		</div>
	);
}
