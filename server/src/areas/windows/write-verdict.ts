/** Writes the verdict of a round with its findings. Accepted findings stay accepted. */
import { type Context, getNow } from "../../context.ts";
import type { Tx } from "../../core/ports/store.ts";
import type { Judgement } from "./judge-round.ts";
import { moveWindow, SERVICE_ACTOR } from "./move-window.ts";
import { notifyOfVerdict } from "./notify-of-verdict.ts";
import { buildFingerprint } from "./rules/findings.ts";
import { isRecorded } from "./rules/settle.ts";
import { deleteFindings, insertFindings, listAcceptances } from "./sql/findings.ts";
import { findSettlingTime, type RoundRow } from "./sql/rounds.ts";
import { incrementVerdictCount } from "./sql/verdict-counts.ts";
import type { WindowRow } from "./sql/windows.ts";
import type { StoredVerdict } from "./tables.ts";
import { ROLLBACK_QUEUE } from "./topic.ts";

/** Seconds from the end of the work to the round in which the last item settled. */
async function computeSettlingSeconds(tx: Tx, window: WindowRow, judged: RoundRow): Promise<number> {
	const { items, settle } = window.plan;
	const awaited = [...items.keys()].filter((index) => !isRecorded(items, index));
	const settledAt = (await findSettlingTime(tx, window, awaited, settle.stable_rounds)) ?? judged.started_at;
	const finishedAt = window.finished_at ?? judged.started_at;
	return Math.max(0, Math.round((settledAt.getTime() - finishedAt.getTime()) / 1_000));
}

export async function writeVerdict(
	ctx: Context,
	tx: Tx,
	window: WindowRow,
	{ judgement, round }: { readonly judgement: Judgement; readonly round: RoundRow },
): Promise<void> {
	const { verdict, reasons, changed, connections, findings, findingCount, settled } = judgement;
	const now = getNow(ctx);
	const isAllSettled = connections.every(({ connectionId, items }) =>
		items.every(({ item }) => settled.has(`${item} ${connectionId}`)),
	);
	const stored: StoredVerdict = {
		number: window.verdicts.length + 1,
		at: now.toISOString(),
		round: round.round,
		verdict,
		verdict_reasons: reasons,
		changed,
		settled_after_s: isAllSettled ? await computeSettlingSeconds(tx, window, round) : null,
		findings: findingCount,
		connections: connections.map(({ connectionId, items, ...connection }) => ({
			connectionId,
			verdict: connection.verdict,
			reasons: connection.reasons,
			items: items.map(({ item, verdict: own, counts }) => ({
				item,
				verdict: own,
				counts,
				settled: settled.has(`${item} ${connectionId}`),
			})),
		})),
	};
	const accepted = new Map((await listAcceptances(tx.db, window.id)).map((one) => [one.fingerprint, one]));
	await deleteFindings(tx, window.id);
	await insertFindings(
		tx,
		findings.map((finding, position) => {
			const fingerprint = buildFingerprint(finding);
			const before = accepted.get(fingerprint);
			return {
				id: ctx.ids.uuid(),
				window_id: window.id,
				position,
				class: finding.class,
				connection_id: finding.connection_id,
				item: finding.item,
				fingerprint,
				data: JSON.stringify(finding),
				accepted_by: before?.accepted_by ?? null,
				accepted_at: before?.accepted_at ?? null,
				reason: before?.reason ?? "",
			};
		}),
	);
	await moveWindow(ctx, tx, window, SERVICE_ACTOR, {
		event: "judge",
		to: "judged",
		values: {
			verdict,
			verdict_reasons: [...reasons],
			changed,
			verdicts: JSON.stringify([...window.verdicts, stored]),
			judge_now: false,
			round_at: null,
		},
		detail: [verdict.replaceAll("_", " "), ...reasons].join(" "),
		verb: "judged",
		metadata: { verdict, verdict_reasons: reasons },
	});
	await incrementVerdictCount(tx, verdict);
	if (verdict === "failed" && window.plan.after_failure !== "notify")
		await ctx.jobs.enqueue(tx, ROLLBACK_QUEUE, { windowId: window.id });
	await notifyOfVerdict(ctx, tx, { ...window, verdict }, findings);
}
