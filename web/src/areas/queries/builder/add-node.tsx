/** Adds a node: a class by name, or one of the other kinds. */
import { useState } from "react";
import { type Addition, ENDS, FILTERS, listSteps, readAddition } from "./additions.tsx";
import { CLASS_NAME, type ClassHint } from "./model/common-classes.ts";
import { type Choice, PickDialog } from "./pick-dialog.tsx";
import { type Follow, useClassChoices } from "./use-class-choices.ts";

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
	const kinds = [...FILTERS, ...ENDS].filter(({ words }) => words.includes(wanted));
	// "filter" is the kind of node, not a class that is called so.
	const named = kinds.filter(({ words }) => wanted !== "" && words.startsWith(wanted));
	const relations = follows.map(({ relation, target }) => ({
		id: `follow:${relation}:${target}`,
		label: <span className="mono">{target}</span>,
		aside: `follow ${relation}`,
	}));
	const steps = listSteps(wanted);
	const classes = [...children.map(classChoice), ...(wanted === "" ? relations : []), ...others.map(classChoice)];
	// A name that is written out comes before what only contains it.
	const exact = classes.filter(({ id }) => id.toLowerCase() === `class:${wanted}`);
	const typed =
		exact.length === 0 && CLASS_NAME.test(text.trim()) ? [classChoice({ name: text.trim(), label: "class" })] : [];
	const choices =
		wanted === ""
			? [...kinds, ...classes, ...steps]
			: [
					...named,
					...exact,
					...relations.filter(({ id }) => id.toLowerCase().endsWith(`:${wanted}`)),
					...classes.filter((choice) => !exact.includes(choice)),
					...relations.filter(({ id }) => !id.toLowerCase().endsWith(`:${wanted}`)),
					...typed,
					...kinds.filter((choice) => !named.includes(choice)),
					...steps,
				];
	const pick = (id: string) => {
		const [kind, name = "", target = ""] = id.split(":");
		const addition = readAddition(id);
		if (kind === "follow") onFollow({ relation: name, target });
		else if (addition) onAdd(addition);
	};
	return (
		<PickDialog
			title={parent === null ? "Add a node" : `Add a node below ${parent}`}
			placeholder="A class such as fvBD, a filter, a step"
			text={text}
			choices={choices}
			onText={setText}
			onPick={pick}
			onClose={onClose}
		/>
	);
}
