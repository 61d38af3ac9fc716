/**
 * What a member of the cluster says about itself and its peers, and what it says otherwise than
 * they do: a member without peers, a standby, another release, another fabric.
 */
import type { Faults } from "../faults.ts";
import type { Registry } from "../model/registry.ts";
import type { ResultNode } from "../query/nest.ts";
import type { Answer, Scope } from "../query/run.ts";
import { getDn, type Mo, makeMo, makeShape, readValue } from "../store/mo.ts";

export interface MemberView {
	/** The answer about the member that answers (`topInfo`); null for any other scope. */
	itself(scope: Scope): Answer | null;
	/** False where the member has no objects, as a standby. */
	serves(scope: Scope): boolean;
	/** The answer as this member gives it. */
	show(answer: Answer): Answer;
}

export interface MemberViewParts {
	readonly id: number;
	readonly faults: Pick<Faults, "isOn" | "getSetting">;
	readonly registry: Pick<Registry, "find">;
	/** Whether another member is down. */
	readonly isDown: (id: number) => boolean;
}

type Changes = Record<string, string>;

/** Classes of the cluster's own state, which every member has. */
const SYSTEM_CLASSES = new Set(["infraCont", "infraWiNode", "topSystem", "fabricNode", "firmwareCtrlrRunning"]);

export const isSystemClass = (name: string): boolean => SYSTEM_CLASSES.has(name);

export function createMemberView({ id, faults, registry, isDown }: MemberViewParts): MemberView {
	const node = `topology/pod-1/node-${id}`;

	/** What this member says otherwise of an object. */
	function getChanges(mo: Mo): Changes {
		const cls = mo.shape.cls?.name ?? "";
		if (!isSystemClass(cls)) return {};
		const dn = getDn(mo);
		const changes: Changes = {};
		const about = Number(readValue(mo, "id"));
		const isOwnView = cls === "infraWiNode" && dn.startsWith(`${node}/av/`);
		if (isOwnView && about !== id && (faults.isOn("partial_cluster") || isDown(about))) {
			changes.operSt = "unavailable";
			changes.health = "unknown";
		}
		if (isOwnView && about === id) {
			if (faults.isOn("partial_cluster")) changes.health = "data-layer-partially-diverged";
			if (faults.isOn("standby")) changes.apicMode = "standby";
		}
		const upgraded = faults.getSetting("half_upgraded");
		if (upgraded !== null && (cls === "topSystem" || cls === "firmwareCtrlrRunning") && dn.startsWith(`${node}/`)) {
			changes.version = String(upgraded.version);
		}
		const other = faults.getSetting("other_fabric");
		if (other !== null) {
			if (cls === "topSystem") changes.fabricDomain = String(other.domain);
			if (cls === "infraCont") changes.fbDmNm = String(other.domain);
			if (about === 1 && (cls === "topSystem" || cls === "fabricNode")) changes.serial = String(other.serial);
			if (about === 1 && cls === "infraWiNode") changes.mbSn = String(other.serial);
		}
		return changes;
	}

	function showNode(found: ResultNode): ResultNode {
		const children = found.children === null ? null : found.children.map(showNode);
		return { ...found, mo: copyWithChanges(found.mo, getChanges(found.mo)), children };
	}

	return {
		itself(scope) {
			if (scope.kind !== "mo" || scope.dn !== "info") return null;
			const values: Changes = { id: String(id), name: `apic${id}`, role: "controller", status: "" };
			const shape = makeShape(registry.find("topInfo") ?? null, Object.keys(values), new Map());
			const mo = makeMo(
				shape,
				null,
				"info",
				shape.names.map((name) => values[name] ?? ""),
			);
			return { total: 1, nodes: [{ mo, place: "top", children: null }], nested: 0 };
		},
		serves: (scope) => !faults.isOn("standby") || (scope.kind === "class" && isSystemClass(scope.cls)),
		show: (answer) => ({ ...answer, nodes: answer.nodes.map(showNode) }),
	};
}

/** The object with other values; the stored one stays as it is. */
function copyWithChanges(mo: Mo, changes: Changes): Mo {
	if (Object.keys(changes).length === 0) return mo;
	const shape = makeShape(mo.shape.cls, mo.shape.names, new Map());
	const values = shape.names.map((name) => changes[name] ?? readValue(mo, name) ?? "");
	return { ...makeMo(shape, mo.parent, mo.rn, values), kids: mo.kids };
}
