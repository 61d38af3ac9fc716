/** Marks changes and failing checks on a drawing, and cuts it to its limits. */
import {
	type ObjectChange,
	PICTURE_LIMITS,
	PICTURE_NODE_KINDS,
	type PictureEdge,
	type PictureNode,
	type PicturePart,
} from "@weft/contracts";
import { getParentDn } from "../../find/rules/dn.ts";
import { compareNames, type Drawing, type DrawnEdge, type DrawnNode } from "./drawing.ts";

/** The changes of one object until the moment. */
interface ChangedObject {
	readonly dn: string;
	/** The oldest of its changes. */
	readonly first: ObjectChange;
	readonly users: readonly string[];
	/** The time of the newest of its changes. */
	readonly at: Date;
}

/** The DNs of the evidence of a failing check. */
export interface FailingCheck {
	readonly id: string;
	readonly dns: readonly string[];
}

interface Marks {
	readonly changes: readonly ChangedObject[];
	readonly checks: readonly FailingCheck[];
}

/** Upper bound of the users that a mark names. */
const PERSONS_MAX = 5;

/**
 * Joins all changes of an object into one.
 * @param first its oldest change
 * @param isGone whether the snapshots of the moment lack the object
 */
function joinChanges(first: ObjectChange, isGone: boolean): ObjectChange {
	if (isGone) return "deleted";
	return first === "added" ? "added" : "modified";
}

interface MarkedParts {
	change: ObjectChange | null;
	changes_below: number;
	readonly persons: Set<string>;
	changedAt: Date | null;
	readonly checks: Set<string>;
}

const createMark = (): MarkedParts => ({
	change: null,
	changes_below: 0,
	persons: new Set(),
	changedAt: null,
	checks: new Set(),
});

/** Collects the marks of every DN that is drawn. */
function collectMarks({ nodes, edges }: Drawing, { changes, checks }: Marks): Map<string, MarkedParts> {
	const marks = new Map<string, MarkedParts>();
	const goneByDn = new Map<string, boolean>();
	for (const { dn, isGone } of [...nodes, ...edges]) {
		marks.set(dn, createMark());
		goneByDn.set(dn, isGone);
	}
	for (const changed of changes) {
		const dn = findDrawn(changed.dn, marks);
		const mark = dn === null ? undefined : marks.get(dn);
		if (dn === null || mark === undefined) continue;
		if (dn === changed.dn) mark.change = joinChanges(changed.first, goneByDn.get(dn) === true);
		else mark.changes_below += 1;
		for (const user of changed.users) mark.persons.add(user);
		if (mark.changedAt === null || mark.changedAt < changed.at) mark.changedAt = changed.at;
	}
	for (const { id, dns } of checks)
		for (const evidence of dns) {
			const dn = findDrawn(evidence, marks);
			if (dn !== null) marks.get(dn)?.checks.add(id);
		}
	return marks;
}

/** Finds the object itself, or the nearest one above it, that is drawn; null if there is none. */
function findDrawn(dn: string, drawn: ReadonlyMap<string, unknown>): string | null {
	for (let at: string | null = dn; at !== null; at = getParentDn(at)) if (drawn.has(at)) return at;
	return null;
}

const presentMark = (mark: MarkedParts = createMark()) => ({
	change: mark.change,
	changes_below: mark.changes_below,
	changed_by: [...mark.persons].sort(compareNames).slice(0, PERSONS_MAX),
	changed_at: mark.changedAt?.toISOString() ?? null,
	checks: [...mark.checks].sort(),
});

const isMarked = (mark: MarkedParts | undefined): boolean =>
	mark !== undefined && (mark.change !== null || mark.changes_below > 0 || mark.checks.size > 0);

interface Picture {
	readonly nodes: PictureNode[];
	readonly edges: PictureEdge[];
	readonly nodes_total: number;
	readonly edges_total: number;
	readonly truncated: PicturePart[];
}

/**
 * Marks a drawing, and sorts its nodes by kind and DN. A limit leaves out unmarked nodes and edges
 * first, and edges that lost one of their ends.
 */
export function markDrawing(
	drawing: Drawing,
	given: Marks,
	limits: { readonly nodes: number; readonly edges: number } = PICTURE_LIMITS,
): Picture {
	const marks = collectMarks(drawing, given);
	const nodes = keepMarked([...drawing.nodes].sort(compareNodes), marks, limits.nodes);
	const kept = new Set(nodes.map(({ dn }) => dn));
	const joined = drawing.edges.filter(({ from, to }) => kept.has(from) && kept.has(to));
	const edges = keepMarked(joined.sort(compareEdges), marks, limits.edges);
	return {
		nodes: nodes.map(({ dn, className, kind, label, state, facts, tenant }) => ({
			dn,
			class_name: className,
			kind,
			label,
			state,
			facts: [...facts],
			tenant,
			...presentMark(marks.get(dn)),
		})),
		edges: edges.map(({ dn, className, kind, from, to, label, state }) => ({
			dn,
			class_name: className,
			kind,
			from,
			to,
			label,
			state,
			...presentMark(marks.get(dn)),
		})),
		nodes_total: drawing.nodes.length,
		edges_total: drawing.edges.length,
		truncated: [
			...(nodes.length < drawing.nodes.length ? (["nodes"] as const) : []),
			...(edges.length < drawing.edges.length ? (["edges"] as const) : []),
		],
	};
}

/** Keeps marked parts first, then others, up to a limit. The order of the parts stays. */
function keepMarked<Part extends { readonly dn: string }>(
	parts: readonly Part[],
	marks: ReadonlyMap<string, MarkedParts>,
	limit: number,
): Part[] {
	const marked = parts.filter(({ dn }) => isMarked(marks.get(dn)));
	const others = parts.filter(({ dn }) => !isMarked(marks.get(dn)));
	const kept = new Set([...marked, ...others].slice(0, limit));
	return parts.filter((part) => kept.has(part));
}

const compareNodes = (a: DrawnNode, b: DrawnNode): number =>
	PICTURE_NODE_KINDS.indexOf(a.kind) - PICTURE_NODE_KINDS.indexOf(b.kind) || compareNames(a.dn, b.dn);

const compareEdges = (a: DrawnEdge, b: DrawnEdge): number => compareNames(a.dn, b.dn) || compareNames(a.from, b.from);
