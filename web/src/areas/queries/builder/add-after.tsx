/** Adds a node behind another one: its related classes with counts, steps, or a wire. */
import { useState } from "react";
import { formatCount } from "../../../platform/format.ts";
import { useTarget } from "../../../platform/target.ts";
import { ENDS, FILTERS, listSteps, readAddition } from "./additions.tsx";
import { joinNodes } from "./join.ts";
import { type CanvasNode, getNode } from "./model/canvas.ts";
import { buildDrawing } from "./model/chips.ts";
import { CLASS_NAME, type ClassHint, rankClasses, suggestClasses } from "./model/common-classes.ts";
import { formatTitle } from "./model/describe.ts";
import { findClassAt, findEdgeProblem } from "./model/edit.ts";
import { type Choice, PickDialog } from "./pick-dialog.tsx";
import { type BuilderStore, useBuilderStore, useDoc } from "./store.ts";
import type { Edits } from "./use-edits.ts";
import { type Related, useClassCounts, useRelated } from "./use-related.ts";

/** Upper bound of the classes in each group of choices. */
const MOST = 24;

interface AddAfterProps {
	readonly after: string;
	/** Place on the canvas where a wire was dropped. */
	readonly at: CanvasNode["position"] | null;
	readonly edits: Edits;
	onClose(): void;
}

export function AddAfterDialog({ after, at, edits, onClose }: AddAfterProps) {
	const store = useBuilderStore();
	const doc = useDoc();
	const [text, setText] = useState("");
	const node = getNode(doc, after);
	const owner = node?.type === "startNode" ? null : findClassAt(doc, after);
	const className = String(owner?.data.className ?? "");
	const related = useRelated(className);
	const wanted = text.trim().toLowerCase();
	const classes = listClasses(node, related, text, owner !== null && hasNoClassAbove(store, owner.id));
	const names = [...new Set(classes.map(({ name }) => name))];
	const counts = useClassCounts(names, useTarget());
	if (node === undefined) return null;
	const choices: Choice[] = [
		...classes.map(({ id, name, label, group }): Choice => {
			const count = counts?.byClass[name];
			const shown = count === undefined ? "" : ` · ${formatCount(count)} in ${counts?.fabric}`;
			return { id, group, label: <span className="mono">{name}</span>, aside: `${label}${shown}` };
		}),
		...(owner === null ? [] : FILTERS.filter(({ words }) => words.includes(wanted))).map((choice) => ({
			...choice,
			group: "Filter",
		})),
		...(node.type === "startNode" ? [] : listSteps(wanted)).map((choice) => ({ ...choice, group: "Steps" })),
		...listConnections(store, after, wanted),
		...(node.type === "startNode" ? [] : ENDS.filter(({ id, words }) => id === "output" && words.includes(wanted))).map(
			(choice) => ({ ...choice, label: "New output", group: "Connect" }),
		),
	];
	const pick = (id: string) => {
		const [kind, name = "", target = ""] = id.split(":");
		const addition = readAddition(id);
		if (kind === "connect") joinNodes(store, after, id.slice("connect:".length));
		else if (kind === "follow") edits.follow({ relation: name, target }, owner?.id);
		else if (kind === "parent" && owner) edits.addAbove(owner.id, name);
		else if (addition) {
			edits.add(addition, after);
			if (at !== null && addition.kind !== "filterNode") edits.placeAt({ x: Math.round(at.x), y: Math.round(at.y) });
		}
	};
	return (
		<PickDialog
			title={`Add after ${formatTitle(node)}`}
			placeholder={related.isLoading ? "Reading the class model …" : "Class, filter, step or node"}
			text={text}
			choices={choices}
			onText={setText}
			onPick={pick}
			onClose={onClose}
		/>
	);
}

interface ClassChoice extends ClassHint {
	readonly id: string;
	readonly group: string;
}

/** Lists related classes that match the text: common ones after the start, or without a model. */
function listClasses(
	node: CanvasNode | undefined,
	related: Related,
	text: string,
	canHaveParent: boolean,
): ClassChoice[] {
	const { children, parents, follows, isLoading } = related;
	const isUnknown = children.length + parents.length + follows.length === 0 && !isLoading;
	const wanted = text.trim();
	if (node?.type === "startNode" || isUnknown) {
		const found = suggestClasses(wanted, MOST);
		const isTyped = CLASS_NAME.test(wanted) && !found.some(({ name }) => name === wanted);
		const typed = isTyped ? [{ name: wanted, label: "class" }] : [];
		const group = node?.type === "startNode" ? "Classes" : "Common classes: the class model names none that is related";
		return [...found, ...typed].map((hint) => ({ ...hint, id: `class:${hint.name}`, group }));
	}
	return [
		...rankClasses(children, wanted)
			.slice(0, MOST)
			.map((hint) => ({ ...hint, id: `class:${hint.name}`, group: "Below it" })),
		...follows
			.filter(({ relation, target }) => `${relation} ${target}`.toLowerCase().includes(wanted.toLowerCase()))
			.slice(0, MOST)
			.map(({ relation, target }) => ({
				id: `follow:${relation}:${target}`,
				name: target,
				label: `follow ${relation}`,
				group: "Related to it",
			})),
		...(canHaveParent ? rankClasses(parents, wanted) : [])
			.slice(0, MOST)
			.map((hint) => ({ ...hint, id: `parent:${hint.name}`, group: "Above it" })),
	];
}

function hasNoClassAbove(store: BuilderStore, id: string): boolean {
	const { nodes, edges } = store.getState().history.now;
	return edges
		.filter(({ target }) => target === id)
		.every(({ source }) => nodes.find((node) => node.id === source)?.type === "startNode");
}

/** Lists the nodes of the canvas to which a wire can lead. */
function listConnections(store: BuilderStore, after: string, wanted: string): Choice[] {
	const { now } = store.getState().history;
	return buildDrawing(now)
		.nodes.filter(({ id }) => findEdgeProblem(now, after, id) === null)
		.filter((node) => `connect ${formatTitle(node)}`.toLowerCase().includes(wanted))
		.map((node) => ({
			id: `connect:${node.id}`,
			label: `Connect to ${formatTitle(node)}`,
			group: "Connect",
		}));
}
