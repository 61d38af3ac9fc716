/** The logs: who changed what, what happened, which faults came and went. */
import { getDn, type Mo } from "../store/mo.ts";
import type { Builder } from "./builder.ts";
import type { Faulty } from "./fault-kinds.ts";
import type { Amounts } from "./sizes.ts";

/** Log records, newest numbers last, each under the name of what it is about. */
export function addLogs(builder: Builder, amounts: Amounts, changed: readonly Mo[], faulty: readonly Faulty[]): void {
	const { add, template, random, store, recentTime } = builder;
	let id = 4_294_967_296;
	const subject = (dn: string) => store.reach([`subj-[${dn}]`]);
	const audit = template("aaaModLR", ["affected", "changeSet", "created", "descr", "id", "ind", "txId", "user"], {
		cause: "transition",
		code: "E4211936",
		trig: "config",
	});
	const times = Array.from({ length: amounts.audits }, recentTime).sort();
	for (const [at, time] of times.entries()) {
		const dn = getDn(random.pick(changed));
		const number = String(++id);
		const ind = random.next() < 0.3 ? "creation" : "modification";
		add(subject(dn), audit, `mod-${number}`, [
			dn,
			`descr (Old: , New: change ${at})`,
			time,
			`${dn} ${ind === "creation" ? "created" : "modified"}`,
			number,
			ind,
			String(1_000_000_000 + at),
			random.pick(["admin", "operator", "automation"]),
		]);
	}
	const event = template("eventRecord", ["affected", "created", "descr", "id", "ind"], {
		cause: "transition",
		code: "E4208219",
		severity: "info",
	});
	for (let at = 0; at < amounts.events; at++) {
		const dn = getDn(random.pick(changed));
		const number = String(++id);
		add(subject(dn), event, `rec-${number}`, [
			dn,
			recentTime(),
			`State of ${dn} changed`,
			number,
			random.pick(["modification", "state-transition"]),
		]);
	}
	if (faulty.length === 0) return;
	const record = template("faultRecord", [
		"affected",
		"cause",
		"code",
		"created",
		"descr",
		"domain",
		"id",
		"ind",
		"rule",
		"severity",
		"subject",
	]);
	for (let at = 0; at < amounts.faultRecords; at++) {
		const { on, kind: of } = random.pick(faulty);
		const dn = getDn(on);
		const number = String(++id);
		add(subject(dn), record, `fr-${number}`, [
			`${dn}/fault-${of.code}`,
			of.cause,
			of.code,
			recentTime(),
			of.descr,
			of.domain,
			number,
			random.pick(["creation", "modification", "deletion"]),
			of.rule,
			of.severity,
			of.subject,
		]);
	}
}
