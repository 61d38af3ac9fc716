/**
 * Configuration exports: a policy that is triggered makes a job, and a snapshot where it is to keep
 * one. Each policy keeps its last ones only.
 */
import type { FabricClock } from "../clock.ts";
import { getDn, type Mo, readValue } from "../store/mo.ts";

const POLICY = "configExportP";
const SNAPSHOT = "configSnapshot";
const BACKUPS = "uni/backupst";
/** Jobs and snapshots that a policy keeps. */
const KEPT = 10;

/** How an export changes the tree: within the transaction of the write. */
export interface ExportTools {
	/** The object at a DN, made with these values where there is none. */
	ensure(cls: string, dn: string, values: Readonly<Record<string, string>>): Mo;
	change(mo: Mo, values: Readonly<Record<string, string>>): void;
	remove(mo: Mo): void;
}

const isYes = (value: string | undefined): boolean => value === "yes" || value === "true";

/** @param touched objects that were made or changed */
export function runExports(clock: FabricClock, touched: Iterable<Mo>, tools: ExportTools): void {
	function runExport(policy: Mo): void {
		const dn = getDn(policy);
		const time = clock.iso();
		const stamp = time.slice(0, 19).replaceAll(":", "-");
		const fileName = `ce2_${readValue(policy, "name") ?? ""}-${stamp}.tar.gz`;
		const jobs = tools.ensure("configJobCont", `${BACKUPS}/jobs-[${dn}]`, { name: dn });
		tools.ensure("configJob", `${getDn(jobs)}/run-${stamp}`, {
			name: stamp,
			type: "export",
			operSt: "success",
			details: "Success",
			executeTime: time,
			fileName,
		});
		forgetOldest(jobs);
		if (isYes(readValue(policy, "snapshot"))) {
			const snapshots = tools.ensure("configSnapshotCont", `${BACKUPS}/snapshots-[${dn}]`, { name: dn });
			const values = { name: `run-${stamp}`, fileName, createTs: time, retire: "no", rootDn: "" };
			tools.ensure(SNAPSHOT, `${getDn(snapshots)}/snapshot-run-${stamp}`, values);
			forgetOldest(snapshots);
		}
		tools.change(policy, { adminSt: "untriggered" });
	}

	/** Their names are times. */
	function forgetOldest(container: Mo): void {
		const all = (container.kids ?? []).filter(({ shape }) => shape.cls !== null);
		const oldest = all.sort((a, b) => (a.rn < b.rn ? -1 : 1)).slice(0, Math.max(0, all.length - KEPT));
		for (const mo of oldest) tools.remove(mo);
	}

	for (const mo of touched) {
		const cls = mo.shape.cls?.name;
		if (cls === POLICY && readValue(mo, "adminSt") === "triggered") runExport(mo);
		if (cls === SNAPSHOT && isYes(readValue(mo, "retire"))) tools.remove(mo);
	}
}
