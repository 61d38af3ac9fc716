/** The audit log: each write leaves a record of who changed what. */
import type { Change } from "../changes.ts";
import type { FabricClock } from "../clock.ts";
import type { Registry } from "../model/registry.ts";
import { dnOf, makeShape, type Shape } from "../store/mo.ts";
import type { Store } from "../store/store.ts";

export interface AuditLog {
	record(changes: readonly Change[], user: string): void;
}

/** Record numbers go on far above those of the generated fabric. */
const FIRST = 8_589_934_592;
const INDICATORS = { created: "creation", modified: "modification", deleted: "deletion" } as const;

export function createAuditLog(store: Store, registry: Registry, clock: FabricClock): AuditLog {
	let id = FIRST;
	let shape: Shape | null = null;

	return {
		record(changes, user) {
			const cls = registry.find("aaaModLR");
			if (cls === undefined) return;
			shape ??= makeShape(cls, [...cls.props.keys()], new Map());
			const { names } = shape;
			const tx = String(id);
			for (const { kind, mo, values } of changes) {
				const dn = dnOf(mo);
				const number = String(++id);
				const own: Readonly<Record<string, string>> = {
					affected: dn,
					cause: "transition",
					changeSet: [...values].map(([name, value]) => `${name} (New: ${value})`).join(", "),
					code: "E4211936",
					created: clock.iso(),
					descr: `${mo.shape.cls?.label ?? ""} ${dn} ${kind}`,
					id: number,
					ind: INDICATORS[kind],
					modTs: "never",
					severity: "info",
					trig: "config",
					txId: tx,
					user,
				};
				store.add(
					store.reach([`subj-[${dn}]`]),
					shape,
					`mod-${number}`,
					names.map((name) => own[name] ?? cls.props.get(name)?.initial ?? ""),
				);
			}
		},
	};
}
