/** What is sent to the controller for a stage, and why in this way. */
import type { PlanAnswer } from "@weft/contracts";
import { plural } from "../../../platform/format.ts";
import { CopyButton } from "../../../ui/copy.tsx";
import { Pill } from "../../../ui/pill.tsx";

type Stage = PlanAnswer["stages"][number];

const STRATEGIES: Readonly<Record<string, string>> = {
	mo: "read by DN",
	class: "class query",
	"node-class": "class query on a node",
	join: "several steps",
};

export function StageExplanation({ stage, numbered }: { stage: Stage; numbered: boolean }) {
	return (
		<div className="flex flex-col gap-1.5">
			<div className="flex flex-wrap items-center gap-1.5">
				{numbered && <span className="font-medium">Stage {stage.index + 1}</span>}
				<Pill tone="accent">{STRATEGIES[stage.strategy] ?? stage.strategy}</Pill>
				<span className="text-muted text-xs">about {plural(stage.request_count_estimate, "request")}</span>
			</div>
			{stage.preview_query !== "" && <RequestText path={stage.preview_query} />}
			<p className="m-0 text-muted text-xs">{stage.reason}</p>
		</div>
	);
}

/** A request with each option on a line of its own. */
export function RequestText({ path }: { path: string }) {
	const [place = "", options] = path.split(/\?(.*)/s);
	const lines = (options ?? "").split("&").filter((option) => option !== "");
	return (
		<div className="relative rounded-control border border-line bg-sunken">
			<span className="absolute top-0.5 right-0.5">
				<CopyButton text={path} label="Copy the request" />
			</span>
			<pre
				className="mono m-0 overflow-x-auto whitespace-pre-wrap break-all p-2 pr-7 text-2xs!"
				// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
				tabIndex={0}
			>
				{`GET ${place}`}
				{lines.map((line, index) => `\n  ${index === 0 ? "?" : "&"}${readable(line)}`)}
			</pre>
		</div>
	);
}

/** As a person writes it; what cannot be read stays as it is sent. */
function readable(option: string): string {
	try {
		return decodeURIComponent(option);
	} catch {
		return option;
	}
}
