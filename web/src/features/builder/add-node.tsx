/** Adds a node: a class by name, or one of the other kinds. */
import { POST_PROCESSOR_TYPES, type PostProcessorType } from "@weft/contracts";
import type { Data, Kind } from "./model/canvas.ts";
import { CLASS_NAME, suggestClasses } from "./model/common-classes.ts";
import { PROCESSORS } from "./model/processors.ts";
import { type Choice, PickDialog } from "./pick-dialog.tsx";

export interface Addition {
	readonly kind: Kind;
	readonly data: Data;
	/** The id that it would like. */
	readonly wish: string;
}

const OTHERS: readonly (Choice & { readonly words: string; readonly add: Addition })[] = [
	{
		id: "filter",
		label: "Filter",
		aside: "on a property",
		words: "filter property condition",
		add: {
			kind: "filterNode",
			wish: "filter",
			data: { filterType: "property", property: "name", operator: "eq", value: "" },
		},
	},
	{
		id: "patterns",
		label: "Filter",
		aside: "by patterns",
		words: "filter patterns",
		add: {
			kind: "filterNode",
			wish: "filter",
			data: {
				filterType: "query-target-filter",
				patternGroups: [{ logicalOperator: "or", patterns: [{ property: "name", type: "starts", pattern: "" }] }],
			},
		},
	},
	{
		id: "output",
		label: "Output",
		aside: "what leads to it is the answer",
		words: "output rows",
		add: { kind: "outputNode", wish: "output", data: {} },
	},
	{
		id: "start",
		label: "Start",
		aside: "where a query begins",
		words: "start begin",
		add: { kind: "startNode", wish: "start", data: {} },
	},
];

const MOST = 40;

export function AddNodeDialog({ onAdd, onClose }: { onAdd(addition: Addition): void; onClose(): void }) {
	const choicesFor = (text: string): Choice[] => {
		const wanted = text.trim().toLowerCase();
		const classes = suggestClasses(text, MOST).map(({ name, label }) => ({
			id: `class:${name}`,
			label: <span className="mono">{name}</span>,
			aside: label,
		}));
		const typed = CLASS_NAME.test(text.trim()) && !classes.some(({ id }) => id === `class:${text.trim()}`);
		const others = OTHERS.filter(({ words }) => wanted === "" || words.includes(wanted));
		const processors = POST_PROCESSOR_TYPES.filter((type) =>
			`post-processor ${type} ${PROCESSORS[type].does}`.toLowerCase().includes(wanted),
		).map((type) => ({
			id: `processor:${type}`,
			label: <span className="mono">{type}</span>,
			aside: PROCESSORS[type].does,
		}));
		const own = typed
			? [{ id: `class:${text.trim()}`, label: <span className="mono">{text.trim()}</span>, aside: "class" }]
			: [];
		if (wanted === "") return [...others, ...classes, ...processors];
		return [...classes, ...own, ...others, ...processors];
	};
	const pick = (id: string) => {
		const [kind, name = ""] = id.split(":");
		if (kind === "class") onAdd({ kind: "classNode", wish: name, data: { className: name } });
		else if (kind === "processor") {
			const type = name as PostProcessorType;
			onAdd({ kind: "postProcessorNode", wish: type, data: { processorType: type, config: PROCESSORS[type].start } });
		} else {
			const other = OTHERS.find((each) => each.id === id);
			if (other) onAdd(other.add);
		}
	};
	return (
		<PickDialog
			title="Add a node"
			placeholder="A class such as fvBD, a filter, a post-processor"
			choicesFor={choicesFor}
			onPick={pick}
			onClose={onClose}
		/>
	);
}
