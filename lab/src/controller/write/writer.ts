/**
 * Writes: a posted tree is one transaction, checked while it is applied. If a part is refused,
 * everything is rolled back and one error is reported. Deletions run last.
 */
import type { Change, ChangeFeed } from "../changes.ts";
import type { FabricClock } from "../clock.ts";
import { getParentDn, joinDn, splitDn } from "../dn.ts";
import { ApiError } from "../errors.ts";
import { hasFormat } from "../model/open-classes.ts";
import type { Registry } from "../model/registry.ts";
import type { ClassInfo } from "../model/types.ts";
import { getDn, type Mo, makeShape, PLACEHOLDER, readValue } from "../store/mo.ts";
import type { Store } from "../store/store.ts";
import type { Format, TreeNode } from "../tree.ts";
import type { AuditLog, Author } from "./audit.ts";
import { parseBody } from "./body.ts";
import { isConfiguration } from "./describe.ts";
import { type ExportTools, runExports } from "./exports.ts";
import { createIdentities } from "./identities.ts";
import { findReverseRelation, resolveTarget } from "./relations.ts";
import { checkClass, checkRn, checkValues, isNamedBy, readStatus, resolveDn } from "./validate.ts";

export interface Writer {
	post(dn: string, format: Format, body: string, author: Author): readonly Change[];
	/** Deleting a missing object is not an error. */
	remove(dn: string, author: Author): readonly Change[];
	/** Puts tags on an object and takes others off. */
	tag(dn: string, add: readonly string[], remove: readonly string[], author: Author): readonly Change[];
}

export interface WriterParts {
	readonly store: Store;
	readonly registry: Registry;
	readonly clock: FabricClock;
	readonly feed: ChangeFeed;
	readonly audit: AuditLog;
}

/** They hold the rest and cannot be deleted. */
const FIXED = /^(uni|topology|uni\/(fabric|infra|userext)|uni\/tn-(common|infra|mgmt)|topology\/.*)$/;
const NOTHING: ReadonlyMap<string, string> = new Map();

interface Transaction {
	readonly changes: Change[];
	readonly undo: (() => void)[];
	readonly doomed: Mo[];
	/** Relations to resolve after the whole tree is applied: targets may follow them. */
	readonly relations: Set<Mo>;
	/** DNs of the objects that the body named by their properties. */
	readonly named: Set<string>;
}

/** A writer: its parts, and the counters of generated identities. */
interface WriterState extends WriterParts {
	readonly identities: ReturnType<typeof createIdentities>;
}

/** @param url the DN of the request for the body's top object, else `null` */
function applyNode(writer: WriterState, node: TreeNode, parent: string, url: string | null, tx: Transaction): void {
	if (node.cls === "topRoot" && parent === "") {
		for (const child of node.children ?? []) applyNode(writer, child, "", null, tx);
		return;
	}
	const cls = checkClass(node, writer.registry);
	const resolved =
		url !== null && createsObject(writer, url, node, cls)
			? { dn: checkRn(cls, url), given: true }
			: resolveDn(node, cls, url ?? parent, (name) => tx.named.has(name));
	const { given } = resolved;
	const dn = given ? withKnownParent(writer, resolved.dn) : resolved.dn;
	if (!given) tx.named.add(dn);
	const status = readStatus(node, dn);
	const existing = writer.store.get(dn);
	if (cls.open && !status.deleted) {
		const { dn: _dn, rn: _rn, status: _status, ...attributes } = node.attributes;
		writer.registry.learn(cls.name, attributes, { rn: given ? (splitDn(dn)?.at(-1) ?? null) : null, posted: true });
	}
	if (status.deleted) {
		if (existing !== undefined) markForDeletion(existing, dn, tx);
		return;
	}
	if (existing !== undefined) {
		if (existing.shape.cls !== cls)
			throw new ApiError(103, `child (Rn) of class ${existing.shape.cls?.name} is already attached.`);
		if (!status.mayExist)
			throw new ApiError(103, `Cannot create ${cls.label} (${cls.name}); object ${dn} already exists.`);
		modifyObject(
			writer,
			existing,
			checkValues(node, cls, dn, (prop) => readValue(existing, prop)),
			tx,
		);
	} else {
		if (!status.mayBeMissing) throw buildNotFoundError(dn);
		createObject(
			writer,
			cls,
			dn,
			checkValues(node, cls, dn, (prop) => cls.props.get(prop)?.initial),
			tx,
		);
	}
	for (const child of node.children ?? []) applyNode(writer, child, dn, null, tx);
}

/** The DN of a client below its parent's DN as the tree has it. */
function withKnownParent(writer: WriterState, dn: string): string {
	const above = getParentDn(dn);
	if (above === "" || writer.store.find(above) !== undefined) return dn;
	const parent = writer.store.locate(above);
	return parent === undefined ? dn : joinDn(getDn(parent), splitDn(dn)?.at(-1) ?? "");
}

/**
 * Whether the URL names the body's top object rather than its parent. An open class shows its
 * name in the RN, or is the only one that can be there.
 */
function createsObject(writer: WriterState, url: string, node: TreeNode, cls: ClassInfo): boolean {
	const { dn } = node.attributes;
	if (url === "" || (dn !== undefined && dn !== "")) return false;
	if (hasFormat(cls)) return isNamedBy(node, cls, url);
	const there = writer.store.get(url);
	if (there !== undefined) return there.shape.cls === cls;
	const above = writer.store.get(getParentDn(url));
	return !writer.registry.isTabled(splitDn(url)?.at(-1) ?? "", above?.shape.cls?.name ?? "");
}

function markForDeletion(mo: Mo, dn: string, tx: Transaction): void {
	if (FIXED.test(dn) || mo.shape.cls?.configurable !== true) throw buildNotDeletableError(mo.shape.cls?.name ?? "", dn);
	tx.doomed.push(mo);
}

function createObject(
	writer: WriterState,
	cls: ClassInfo,
	dn: string,
	values: ReadonlyMap<string, string>,
	tx: Transaction,
): void {
	if (!cls.configurable) throw new ApiError(202, `Object of class ${cls.name} is not creatable by user, Dn=${dn}`);
	const above = getParentDn(dn);
	const rn = splitDn(dn)?.at(-1) ?? "";
	const parent = above === "" ? null : cls.open ? findParent(writer, above) : writer.store.get(above);
	if (parent === undefined) throw buildNotFoundError(above);
	if (parent === null || !mayHold(parent, cls)) throw new ApiError(104, `Invalid RN ${rn}`);
	const mo = insertObject(writer, cls, parent, rn, values, tx);
	for (const name of cls.implied) {
		const implied = writer.registry.find(name);
		if (implied !== undefined && writer.store.child(mo, implied.rn.text) === undefined)
			insertObject(writer, implied, mo, implied.rn.text, NOTHING, tx);
	}
}

/** The tables do not say which objects an open class holds. */
function mayHold(parent: Mo, cls: ClassInfo): boolean {
	const above = parent.shape.cls;
	return cls.under.length === 0 || above?.open === true || cls.under.includes(above?.name ?? "");
}

/**
 * The object or the container at a DN, for an object of an open class. The real controller has
 * containers that the fabric here lacks: they come into being where the tables know no class for
 * their RN.
 */
function findParent(writer: WriterState, dn: string): Mo {
	const found = writer.store.find(dn);
	if (found !== undefined) return found;
	const above = getParentDn(dn);
	const rn = splitDn(dn)?.at(-1);
	if (above === "" || rn === undefined) throw buildNotFoundError(dn);
	const parent = findParent(writer, above);
	if (writer.registry.isTabled(rn, parent.shape.cls?.name ?? "")) throw buildNotFoundError(dn);
	return writer.store.reach([...(splitDn(getDn(parent)) ?? []), rn]);
}

function insertObject(
	writer: WriterState,
	cls: ClassInfo,
	parent: Mo,
	rn: string,
	values: ReadonlyMap<string, string>,
	tx: Transaction,
): Mo {
	const own = new Map<string, string>([
		["modTs", writer.clock.iso()],
		["uid", "15374"],
		["monPolDn", readValue(parent, "monPolDn") ?? ""],
		["updTs", writer.clock.iso()],
		...writer.identities.next(cls.name),
	]);
	const shape = makeShape(cls, [...new Set([...cls.props.keys(), ...values.keys()])], new Map());
	const list = shape.names.map((name) => values.get(name) ?? own.get(name) ?? cls.props.get(name)?.initial ?? "");
	const wasPlaceholder = writer.store.child(parent, rn) !== undefined;
	const mo = writer.store.add(parent, shape, rn, list);
	// Objects below a place without an object stay there.
	tx.undo.push(() => void (wasPlaceholder ? writer.store.replace(mo, PLACEHOLDER, []) : writer.store.remove(mo)));
	tx.changes.push({ kind: "created", mo, values: NOTHING, before: NOTHING });
	tx.relations.add(mo);
	return mo;
}

function modifyObject(writer: WriterState, mo: Mo, values: ReadonlyMap<string, string>, tx: Transaction): void {
	const before = new Map([...values.keys(), "modTs"].map((name) => [name, readValue(mo, name) ?? ""]));
	const changed = writer.store.change(mo, values);
	if (changed.size === 0) return;
	for (const [name, value] of writer.store.change(mo, [["modTs", writer.clock.iso()]])) changed.set(name, value);
	tx.undo.push(() => void writer.store.change(mo, before));
	tx.changes.push({ kind: "modified", mo, values: changed, before });
	const { relation } = mo.shape.cls ?? {};
	if (relation !== null && relation !== undefined && changed.has(relation.nameProp)) tx.relations.add(mo);
}

/** Points a named relation at its target and moves the back-relation there. */
function updateRelation(writer: WriterState, mo: Mo, tx: Transaction): void {
	const relation = mo.shape.cls?.relation ?? null;
	if (relation === null || mo.parent === null) return;
	const old = findReverseRelation(mo, writer.store, writer.registry);
	const target = resolveTarget(
		relation,
		readValue(mo, relation.nameProp) ?? "",
		getDn(mo),
		writer.store,
		writer.registry,
	);
	const before = new Map([...target.values.keys()].map((name) => [name, readValue(mo, name) ?? ""]));
	writer.store.change(mo, target.values);
	tx.undo.push(() => void writer.store.change(mo, before));
	if (old !== undefined && old.parent !== target.mo) tx.doomed.push(old);
	const back = relation.back === null ? undefined : writer.registry.find(relation.back);
	if (back === undefined || target.mo === undefined || (old !== undefined && old.parent === target.mo)) return;
	const source = getDn(mo.parent);
	const rn = back.rn.text.replace("{tDn}", source);
	if (writer.store.child(target.mo, rn) === undefined)
		insertObject(
			writer,
			back,
			target.mo,
			rn,
			new Map([
				["tDn", source],
				["tCl", mo.parent.shape.cls?.name ?? ""],
			]),
			tx,
		);
}

function removeObject(writer: WriterState, mo: Mo, tx: Transaction): void {
	if (mo.gone) return;
	for (const gone of writer.store.remove(mo)) {
		tx.changes.push({ kind: "deleted", mo: gone, values: NOTHING, before: NOTHING });
		const back = findReverseRelation(gone, writer.store, writer.registry);
		if (back !== undefined) removeObject(writer, back, tx);
	}
}

function runTransaction(writer: WriterState, author: Author, work: (tx: Transaction) => void): readonly Change[] {
	const tx: Transaction = { changes: [], undo: [], doomed: [], relations: new Set(), named: new Set() };
	writer.clock.forward(1000);
	try {
		work(tx);
		for (const mo of tx.relations) updateRelation(writer, mo, tx);
		runExports(writer.clock, new Set(tx.changes.map(({ mo }) => mo)), buildExportTools(writer, tx));
	} catch (error) {
		for (const undo of tx.undo.reverse()) undo();
		throw error;
	}
	for (const mo of tx.doomed) removeObject(writer, mo, tx);
	writer.audit.record(tx.changes.filter(isConfiguration), author);
	writer.feed.publish(tx.changes);
	return tx.changes;
}

/** What an export makes belongs to the transaction of the write. */
function buildExportTools(writer: WriterState, tx: Transaction): ExportTools {
	return {
		ensure(name, dn, values) {
			const existing = writer.store.get(dn);
			if (existing !== undefined) return existing;
			const cls = writer.registry.find(name);
			if (cls === undefined) throw new Error(`The lab does not know the class ${name}.`);
			return insertObject(
				writer,
				cls,
				findParent(writer, getParentDn(dn)),
				splitDn(dn)?.at(-1) ?? "",
				new Map(Object.entries(values)),
				tx,
			);
		},
		change: (mo, values) => modifyObject(writer, mo, new Map(Object.entries(values)), tx),
		remove: (mo) => void tx.doomed.push(mo),
	};
}

function locateName(writer: WriterState, dn: string): string {
	const mo = writer.store.find(dn) ?? writer.store.locate(dn);
	return mo === undefined ? dn : getDn(mo);
}

function postBody(writer: WriterState, dn: string, format: Format, body: string, author: Author): readonly Change[] {
	return runTransaction(writer, author, (tx) => {
		for (const node of parseBody(format, body)) applyNode(writer, node, getParentDn(dn), locateName(writer, dn), tx);
	});
}

function removeDn(writer: WriterState, dn: string, author: Author): readonly Change[] {
	return runTransaction(writer, author, (tx) => {
		if (dn === "") throw buildNotDeletableError("topRoot", dn);
		const mo = writer.store.locate(dn);
		if (mo !== undefined && mo.shape.cls !== null) markForDeletion(mo, getDn(mo), tx);
	});
}

function tagObject(
	writer: WriterState,
	dn: string,
	add: readonly string[],
	remove: readonly string[],
	author: Author,
): readonly Change[] {
	return runTransaction(writer, author, (tx) => {
		const tagged = locateName(writer, dn);
		if (writer.store.get(tagged) === undefined) throw buildNotFoundError(dn);
		for (const name of add) applyNode(writer, { cls: "tagInst", attributes: { name } }, tagged, null, tx);
		for (const name of remove) {
			const mo = writer.store.get(`${tagged}/tag-${name}`);
			if (mo !== undefined) markForDeletion(mo, getDn(mo), tx);
		}
	});
}

export function createWriter({ store, registry, clock, feed, audit }: WriterParts): Writer {
	const writer: WriterState = { registry, store, clock, identities: createIdentities(), audit, feed };

	return {
		post: (dn, format, body, author) => postBody(writer, dn, format, body, author),
		remove: (dn, author) => removeDn(writer, dn, author),
		tag: (dn, add, remove, author) => tagObject(writer, dn, add, remove, author),
	};
}

function buildNotFoundError(dn: string): ApiError {
	return new ApiError(102, `configured object ((Dn0)) not found Dn0=${dn}, `);
}

function buildNotDeletableError(cls: string, dn: string): ApiError {
	return new ApiError(107, `Cannot delete object of class:${cls}, Dn=${dn}`);
}
