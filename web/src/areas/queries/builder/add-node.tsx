/** Adds a node: a class by name, or one of the other kinds. */
import type { PostProcessorType } from "@weft/contracts";
import { POST_PROCESSOR_TYPES } from "@weft/contracts/browser";
import { useState } from "react";
import type { Data, Kind } from "./model/canvas.ts";
import { CLASS_NAME, type ClassHint } from "./model/common-classes.ts";
import { PROCESSORS } from "./model/processors.ts";
import { type Choice, PickDialog } from "./pick-dialog.tsx";
import { type Follow, useClassChoices } from "./use-class-choices.ts";

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
		aside: "its classes are the result",
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

interface AddNodeProps {
	/** The class that the addition is put below; null: none. */
	readonly parent: string | null;
	onAdd(addition: Addition): void;
	onFollow(follow: Follow): void;
	onClose(): void;
}

export function AddNodeDialog({ parent, onAdd, onFollow, onClose }: AddNodeProps) {
	const [text, setText] = useState("");
	const { children, follows, others } = useClassChoices(text, parent);
	const wanted = text.trim().toLowerCase();
	const classChoice = ({ name, label }: ClassHint): Choice => ({
		id: `class:${name}`,
		label: <span className="mono">{name}</span>,
		aside: label,
	});
	const kinds = OTHERS.filter(({ words }) => words.includes(wanted));
	// "filter" is the kind of node, not a class that is called so.
	const named = kinds.filter(({ words }) => wanted !== "" && words.startsWith(wanted));
	const relations = follows.map(({ relation, target }) => ({
		id: `follow:${relation}:${target}`,
		label: <span className="mono">{target}</span>,
		aside: `follow ${relation}`,
	}));
	const processors = POST_PROCESSOR_TYPES.filter((type) =>
		`post-processor ${type} ${PROCESSORS[type].does}`.toLowerCase().includes(wanted),
	).map((type) => ({
		id: `processor:${type}`,
		label: <span className="mono">{type}</span>,
		aside: PROCESSORS[type].does,
	}));
	const classes = [...children.map(classChoice), ...(wanted === "" ? relations : []), ...others.map(classChoice)];
	// A name that is written out comes before what only contains it.
	const exact = classes.filter(({ id }) => id.toLowerCase() === `class:${wanted}`);
	const typed =
		exact.length === 0 && CLASS_NAME.test(text.trim()) ? [classChoice({ name: text.trim(), label: "class" })] : [];
	const choices =
		wanted === ""
			? [...kinds, ...classes, ...processors]
			: [
					...named,
					...exact,
					...relations.filter(({ id }) => id.toLowerCase().endsWith(`:${wanted}`)),
					...classes.filter((choice) => !exact.includes(choice)),
					...relations.filter(({ id }) => !id.toLowerCase().endsWith(`:${wanted}`)),
					...typed,
					...kinds.filter((choice) => !named.includes(choice)),
					...processors,
				];
	const pick = (id: string) => {
		const [kind, name = "", target = ""] = id.split(":");
		if (kind === "class") onAdd({ kind: "classNode", wish: name, data: { className: name } });
		else if (kind === "follow") onFollow({ relation: name, target });
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
			title={parent === null ? "Add a node" : `Add a node below ${parent}`}
			placeholder="A class such as fvBD, a filter, a post-processor"
			text={text}
			choices={choices}
			onText={setText}
			onPick={pick}
			onClose={onClose}
		/>
	);
}
