/**
 * Writes: a posted tree is one transaction. All of it is checked while it is applied; when a part is refused, everything is put
 * back and one error is reported. Deletions wait until all else has gone well.
 */

import type { Change, ChangeFeed } from "../changes.ts";
import type { FabricClock } from "../clock.ts";
import { parentDn, splitDn } from "../dn.ts";
import { ApiError } from "../errors.ts";
import type { Registry } from "../model/registry.ts";
import type { ClassInfo } from "../model/types.ts";
import { dnOf, type Mo, makeShape, readValue } from "../store/mo.ts";
import type { Store } from "../store/store.ts";
import type { Format, TreeNode } from "../tree.ts";
import type { AuditLog } from "./audit.ts";
import { parseBody } from "./body.ts";
import { createIdentities } from "./identities.ts";
import { backOf, resolveTarget } from "./relations.ts";
import { checkClass, checkValues, readStatus, resolveDn } from "./validate.ts";

export interface Writer {
	/** @returns what changed: `dn`, `status` and the changed properties */
	post(dn: string, format: Format, body: string, user: string): TreeNode[];
	/** Deleting what is not there is no error. */
	remove(dn: string, user: string): TreeNode[];
}

export interface WriterDeps {
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
	/** Relations to point at their targets when the whole tree is there: a target may come after them in the tree. */
	readonly relations: Set<Mo>;
}

export function createWriter({ store, registry, clock, feed, audit }: WriterDeps): Writer {
	const identities = createIdentities();

	function apply(node: TreeNode, parent: string, urlDn: string | null, tx: Transaction): void {
		const cls = checkClass(node, registry);
		const dn = resolveDn(node, cls, parent, urlDn);
		const status = readStatus(node, dn);
		const existing = store.get(dn);
		if (status.deleted) {
			if (existing !== undefined) doom(existing, dn, tx);
			return;
		}
		if (existing !== undefined) {
			if (existing.shape.cls !== cls)
				throw new ApiError(103, `child (Rn) of class ${existing.shape.cls?.name} is already attached.`);
			if (!status.mayExist)
				throw new ApiError(103, `Cannot create ${cls.label} (${cls.name}); object ${dn} already exists.`);
			modify(
				existing,
				checkValues(node, cls, dn, (prop) => readValue(existing, prop)),
				tx,
			);
		} else {
			if (!status.mayBeMissing) throw notFound(dn);
			create(
				cls,
				dn,
				checkValues(node, cls, dn, (prop) => cls.props.get(prop)?.initial),
				tx,
			);
		}
		for (const child of node.children ?? []) apply(child, dn, null, tx);
	}

	function doom(mo: Mo, dn: string, tx: Transaction): void {
		if (FIXED.test(dn) || mo.shape.cls?.configurable !== true)
			throw new ApiError(107, `Cannot delete object of class:${mo.shape.cls?.name}, Dn=${dn}`);
		tx.doomed.push(mo);
	}

	function create(cls: ClassInfo, dn: string, values: ReadonlyMap<string, string>, tx: Transaction): void {
		if (!cls.configurable) throw new ApiError(202, `Object of class ${cls.name} is not creatable by user, Dn=${dn}`);
		const above = parentDn(dn);
		const parent = store.get(above);
		if (parent === undefined) throw notFound(above);
		const rn = splitDn(dn)?.at(-1) ?? "";
		if (cls.under.length > 0 && !cls.under.includes(parent.shape.cls?.name ?? ""))
			throw new ApiError(104, `Invalid RN ${rn}`);
		const mo = insert(cls, parent, rn, values, tx);
		for (const name of cls.implied) {
			const implied = registry.find(name);
			if (implied !== undefined && store.child(mo, implied.rn.text) === undefined)
				insert(implied, mo, implied.rn.text, NOTHING, tx);
		}
	}

	function insert(cls: ClassInfo, parent: Mo, rn: string, values: ReadonlyMap<string, string>, tx: Transaction): Mo {
		const own = new Map<string, string>([
			["modTs", clock.iso()],
			["uid", "15374"],
			["monPolDn", readValue(parent, "monPolDn") ?? ""],
			...identities.next(cls.name),
		]);
		const shape = makeShape(cls, [...cls.props.keys()], new Map());
		const list = shape.names.map((name) => values.get(name) ?? own.get(name) ?? cls.props.get(name)?.initial ?? "");
		const mo = store.add(parent, shape, rn, list);
		tx.undo.push(() => void store.remove(mo));
		tx.changes.push({ kind: "created", mo, values: NOTHING });
		tx.relations.add(mo);
		return mo;
	}

	function modify(mo: Mo, values: ReadonlyMap<string, string>, tx: Transaction): void {
		const before = new Map([...values.keys(), "modTs"].map((name) => [name, readValue(mo, name) ?? ""]));
		const changed = store.change(mo, values);
		if (changed.size === 0) return;
		for (const [name, value] of store.change(mo, [["modTs", clock.iso()]])) changed.set(name, value);
		tx.undo.push(() => void store.change(mo, before));
		tx.changes.push({ kind: "modified", mo, values: changed });
		const { relation } = mo.shape.cls ?? {};
		if (relation !== null && relation !== undefined && changed.has(relation.nameProp)) tx.relations.add(mo);
	}

	/** Points a named relation at its target and moves the back-relation there. */
	function relate(mo: Mo, tx: Transaction): void {
		const relation = mo.shape.cls?.relation ?? null;
		if (relation === null || mo.parent === null) return;
		const old = backOf(mo, store, registry);
		const target = resolveTarget(relation, readValue(mo, relation.nameProp) ?? "", dnOf(mo), store, registry);
		const before = new Map([...target.values.keys()].map((name) => [name, readValue(mo, name) ?? ""]));
		store.change(mo, target.values);
		tx.undo.push(() => void store.change(mo, before));
		if (old !== undefined && old.parent !== target.mo) tx.doomed.push(old);
		const back = relation.back === null ? undefined : registry.find(relation.back);
		if (back === undefined || target.mo === undefined || (old !== undefined && old.parent === target.mo)) return;
		const source = dnOf(mo.parent);
		const rn = back.rn.text.replace("{tDn}", source);
		if (store.child(target.mo, rn) === undefined)
			insert(
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

	function destroy(mo: Mo, tx: Transaction): void {
		if (mo.gone) return;
		for (const gone of store.remove(mo)) {
			tx.changes.push({ kind: "deleted", mo: gone, values: NOTHING });
			const back = backOf(gone, store, registry);
			if (back !== undefined) destroy(back, tx);
		}
	}

	function transact(user: string, work: (tx: Transaction) => void): TreeNode[] {
		const tx: Transaction = { changes: [], undo: [], doomed: [], relations: new Set() };
		clock.forward(1000);
		try {
			work(tx);
			for (const mo of tx.relations) relate(mo, tx);
		} catch (error) {
			for (const undo of tx.undo.reverse()) undo();
			throw error;
		}
		for (const mo of tx.doomed) destroy(mo, tx);
		audit.record(tx.changes, user);
		feed.publish(tx.changes);
		return tx.changes.map(describe);
	}

	return {
		post: (dn, format, body, user) => transact(user, (tx) => apply(parseBody(format, body), parentDn(dn), dn, tx)),
		remove(dn, user) {
			return transact(user, (tx) => {
				const mo = store.get(dn);
				if (mo !== undefined) doom(mo, dn, tx);
			});
		},
	};
}

function notFound(dn: string): ApiError {
	return new ApiError(102, `configured object ((Dn0)) not found Dn0=${dn}, `);
}

function describe({ kind, mo, values }: Change): TreeNode {
	return { cls: mo.shape.cls?.name ?? "", attributes: { dn: dnOf(mo), status: kind, ...Object.fromEntries(values) } };
}
