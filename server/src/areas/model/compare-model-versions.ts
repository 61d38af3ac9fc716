/**
 * Reading a DN, ways between classes, comparing versions, and holding canvases against the model.
 */
import { createHash } from "node:crypto";
import type { ClassChange, DnAnswer, ModelCheck, ModelComparison, PathAnswer } from "@weft/contracts";
import { LRUCache } from "lru-cache";
import type { Context } from "../../context.ts";
import type { Identity } from "../../core/caller.ts";
import { buildConflictError, buildFieldError, buildNotFoundError } from "../../core/errors.ts";
import { getOffset, type PageQuery, paginateRows } from "../../core/http/paging.ts";
import type { Db } from "../../core/ports/store.ts";
import type { Loaded } from "./loaded.ts";
import { presentDn, presentPaths } from "./present.ts";
import { getClass } from "./read-model.ts";
import { checkFlow } from "./rules/check.ts";
import { readDn, splitDn } from "./rules/dn.ts";
import type { VersionRow } from "./sql/versions.ts";
import { findVersionByName } from "./sql/versions.ts";
import { readPieces } from "./stored-image.ts";
import { compareImages } from "./workers/work.ts";

interface CompareQuery extends PageQuery {
	readonly from: string;
	readonly to: string;
	readonly change?: ClassChange["change"] | undefined;
	readonly package?: string | undefined;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Comparisons that are kept; the next page of one costs nothing. */
const KEPT = 4;

export type Comparisons = LRUCache<string, Promise<ClassChange[]>>;

export const createComparisons = (): Comparisons => new LRUCache({ max: KEPT });

async function findInstalledVersion(db: Db, field: "from" | "to", name: string): Promise<VersionRow> {
	const found = await findVersionByName(db, name, UUID.test(name));
	if (found === undefined) throw buildFieldError(field, "No installed version has this id or key.");
	if (!found.is_available)
		throw buildConflictError(`The content of the version ${found.label} was removed to make room.`);
	return found;
}

/** The changes between two versions. The last comparisons are kept. */
function findChanges(ctx: Context, from: VersionRow, to: VersionRow): Promise<ClassChange[]> {
	const { comparisons } = ctx.areas.model;
	const key = `${from.id} ${to.id}`;
	const known = comparisons.get(key);
	if (known !== undefined) return known;
	const made = Promise.all([readPieces(ctx, from), readPieces(ctx, to)]).then(([before, after]) =>
		compareImages(ctx.modelPools, before, after),
	);
	made.catch(() => comparisons.delete(key));
	comparisons.set(key, made);
	return made;
}

export function readDnClasses(current: Loaded | null, dn: string): DnAnswer {
	const rns = splitDn(dn.replace(/^\/+|\/+$/g, ""));
	if (rns === null) throw buildFieldError("dn", "The brackets do not balance.");
	if (rns.some((rn) => rn === "")) throw buildFieldError("dn", "A part between two slashes is empty.");
	if (current === null) return { dn, class_name: null, parts: [], warnings: ["No model is loaded."] };
	return presentDn(current.model, rns.join("/"), readDn(current.model, rns), rns);
}

export function findPaths(
	current: Loaded | null,
	{ from, to, over, limit }: { from: string; to: string; over: "containment" | "relations" | "both"; limit: number },
): PathAnswer {
	const start = getClass(current, from);
	const { id: end } = getClass(current, to);
	const { model, paths } = start.loaded;
	return presentPaths(model, start.id, end, paths.between(start.id, end, over, limit));
}

export async function compareVersions(ctx: Context, query: CompareQuery, url: string): Promise<ModelComparison> {
	const [from, to] = await Promise.all([
		findInstalledVersion(ctx.store.db, "from", query.from),
		findInstalledVersion(ctx.store.db, "to", query.to),
	]);
	const all = from.id === to.id ? [] : await findChanges(ctx, from, to);
	const wanted = all.filter(
		(change) =>
			(query.change === undefined || change.change === query.change) &&
			(query.package === undefined || change.package === query.package),
	);
	const rows = wanted.slice(getOffset(query), getOffset(query) + query.page_size);
	const version = ({ id, version_key, label }: VersionRow) => ({ id, version_key, label });
	return {
		from: version(from),
		to: version(to),
		identical: all.length === 0,
		summary: getSummary(all),
		...paginateRows(url, query, { count: wanted.length, rows }, (change) => change),
	};
}

export async function checkCanvas(
	ctx: Context,
	identity: Identity,
	{ flow_data, saved_query_id }: { flow_data?: unknown; saved_query_id?: string | undefined },
): Promise<ModelCheck> {
	let flow = flow_data;
	if (saved_query_id !== undefined) {
		const query = await ctx.areas.queries.findVisible(identity, saved_query_id);
		if (query === null) throw buildNotFoundError();
		flow = query.flowData;
	}
	const current = await ctx.areas.model.loaded.current();
	if (current === null) return { checked: false, version: null, warnings: [] };
	return { checked: true, version: current.version.label, warnings: checkFlow(flow, current.facts) };
}

function getSummary(changes: readonly ClassChange[]): ModelComparison["summary"] {
	const classes = (change: ClassChange["change"]) => changes.filter((one) => one.change === change).length;
	const properties = (change: ClassChange["change"]) =>
		changes.reduce((sum, one) => sum + one.properties.filter((property) => property.change === change).length, 0);
	return {
		classes_added: classes("added"),
		classes_removed: classes("removed"),
		classes_changed: classes("changed"),
		properties_added: properties("added"),
		properties_removed: properties("removed"),
		properties_changed: properties("changed"),
	};
}

/** The validator of answers: the version and the release that presents it. */
export const getTag = (loaded: Loaded | null, release: string): string =>
	`"${createHash("sha256")
		.update(`${loaded?.version.id ?? "none"} ${release}`)
		.digest("base64url")
		.slice(0, 22)}"`;
