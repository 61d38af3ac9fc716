/** Classes to add: children and relation targets of the selected class, then all of the model. */
import { mimClassRoutes, mimRoutes } from "@weft/contracts/browser";
import { useEffect, useState } from "react";
import { useAnswer } from "../../../platform/call.ts";
import { useMay } from "../../../platform/profile.ts";
import { type ClassHint, rankClasses, suggestClasses } from "./model/common-classes.ts";

const PAUSE_MS = 150;
const LONG_MS = 10 * 60_000;
const MOST = 40;

export interface Follow {
	/** The relation's class, such as fvRsCtx. */
	readonly relation: string;
	readonly target: string;
}

interface ClassChoices {
	/** What the parent may contain. */
	readonly children: readonly ClassHint[];
	/** Where relations of the parent lead. */
	readonly follows: readonly Follow[];
	/** Other classes; common ones while the model is not asked or not there. */
	readonly others: readonly ClassHint[];
}

/** @param parent class name that the addition is put below; null: none */
export function useClassChoices(text: string, parent: string | null): ClassChoices {
	const may = useMay()("view_modelclass");
	const wanted = text.trim();
	const asked = useSettled(wanted);
	const below = useAnswer(
		mimClassRoutes.children,
		{ params: { parent: parent ?? "-" }, query: {} },
		{ enabled: may && parent !== null, staleTime: LONG_MS },
	);
	const relations = useAnswer(
		mimRoutes.relationships,
		{ params: { class_name: parent ?? "-" }, query: { limit: "200" } },
		{ enabled: may && parent !== null, staleTime: LONG_MS },
	);
	const found = useAnswer(
		mimRoutes.search,
		{ query: { q: asked || "-", type: "class", limit: "20" } },
		{ enabled: may && asked.length > 1, staleTime: LONG_MS, keepPrevious: true },
	);
	const hints = (below.data ?? []).map(({ name, display_name }) => ({ name, label: display_name }));
	const children = rankClasses(hints, wanted).slice(0, MOST);
	const follows = (relations.data?.associations ?? [])
		.filter(({ direction }) => direction === "to")
		.map(({ via, name }) => ({ relation: via, target: name }))
		.filter(({ relation, target }) => `${relation} ${target}`.toLowerCase().includes(wanted.toLowerCase()));
	const hits = wanted === "" ? [] : (found.data?.results ?? []);
	const known = new Set(children.map(({ name }) => name));
	const others = [
		...suggestClasses(wanted, MOST),
		...hits.map(({ name, display_name = "" }) => ({ name, label: display_name })),
	].filter(({ name }) => !known.has(name) && known.add(name));
	return { children, follows, others: parent !== null && wanted === "" && children.length > 0 ? [] : others };
}

function useSettled(text: string): string {
	const [settled, setSettled] = useState(text);
	useEffect(() => {
		const timer = setTimeout(() => setSettled(text), PAUSE_MS);
		return () => clearTimeout(timer);
	}, [text]);
	return settled;
}
