/** SQL that reads the index of frequent terms: entries with all of some terms, and their times. */
import type { AuditFilter } from "@weft/contracts";
import { sql } from "kysely";
import type { Db } from "../../../core/ports/store.ts";
import { getIds, type Matches, SEGMENT } from "../rules/terms.ts";
import { buildConditions, buildSealedCondition, buildUnsealedCondition, type SearchPlan } from "./plan.ts";

const SIZE = sql.lit(SEGMENT);

/**
 * `matched`: bits of entries with all terms, by segment. `whole`: the segment is within the
 * filter's time.
 */
function buildMatchedCte({ created_after, created_before }: AuditFilter, terms: readonly string[]) {
	const from = created_after === undefined ? sql`'-infinity'` : sql`${new Date(created_after)}`;
	const to = created_before === undefined ? sql`'infinity'` : sql`${new Date(created_before)}`;
	const common =
		terms.length === 0
			? sql`select segment, present as entries from audit_segments`
			: sql`select segment, bit_and(entries) as entries from audit_bits
				where term = any(${terms}) group by segment having count(*) = ${terms.length}`;
	return sql`matched as materialized (
			select s.segment, s.oldest, s.newest, s.present & b.entries as entries,
				s.oldest >= ${from}::timestamptz and s.newest <= ${to}::timestamptz as whole
			from (${common}) b join audit_segments s using (segment)
			where s.newest >= ${from}::timestamptz and s.oldest <= ${to}::timestamptz
		)`;
}

/** `fresh`: matching entries that are not indexed yet. */
function buildFreshCte(filter: AuditFilter, plan: SearchPlan) {
	const matching = buildConditions(filter, plan);
	const sealed = sql`select unnest(entry_ids) as id from audit_blocks where number > (select block from audit_index)`;
	return sql`fresh as materialized (
			select a.id from ${buildUnsealedCondition(matching)} union all select a.id from ${buildSealedCondition(sealed, matching)}
		)`;
}

interface SegmentRow {
	readonly segment: number;
	readonly entries: string;
	readonly oldest: string;
	readonly newest: string;
	readonly whole: boolean;
}

interface Found {
	readonly count: number;
	readonly segments: SegmentRow[];
	readonly fresh: number[];
}

/** Counts matches; up to `few`, also returns which entries match regardless of time. */
export async function findByTerms(
	db: Db,
	filter: AuditFilter,
	{ plan, terms, few }: { readonly plan: SearchPlan; readonly terms: readonly string[]; readonly few: number },
): Promise<{ count: number; matches: Matches | null }> {
	const { created_after, created_before } = filter;
	const { rows } =
		await sql<Found>`with ${buildMatchedCte(filter, terms)}, ${buildFreshCte(filter, plan)}, total as materialized (select (
			select coalesce(sum(bit_count(entries)), 0)::bigint from matched where whole
		) + (
			select count(*) from matched m cross join lateral (
				select from only audit_log a where a.id >= m.segment * ${SIZE} and a.id < (m.segment + 1) * ${SIZE}
					and get_bit(m.entries, a.id % ${SIZE}) = 1 and ${buildConditions({ created_after, created_before }, plan)}
			) a where not m.whole and bit_count(m.entries) > 0
		) + (select count(*) from fresh) as count
		), few_segments as materialized (
			select m.segment, m.entries::text as entries, m.oldest, m.newest, m.whole
			from matched m, total where total.count <= ${few} and bit_count(m.entries) > 0
		) select count, (select coalesce(json_agg(few_segments), '[]') from few_segments) as segments,
			array(select fresh.id from fresh where total.count <= ${few}) as fresh
		from total`.execute(db);
	const [found] = rows;
	if (found === undefined) throw new Error("a count without a row");
	const { count, fresh: late } = found;
	const segments = found.segments.map(({ segment, entries, oldest, newest, whole }) => ({
		ids: getIds(segment, entries),
		oldest: new Date(oldest),
		newest: new Date(newest),
		whole,
	}));
	return { count, matches: count <= few ? { segments, fresh: late } : null };
}

/** Where a scan of matching entries may begin. */
export interface Beginning {
	/** Matches before it, in the scan's order. */
	readonly passed: number;
	/** Not before this time. Null: at the first entry. */
	readonly at: Date | null;
	/** And beyond this one. */
	readonly beyond: Date | null;
}

interface Span {
	readonly n: number;
	readonly oldest: Date;
	readonly newest: Date;
}

/**
 * The latest start, by the segments' times, with at most `skip` matches before it. A scan from
 * there reads neither the skipped matches nor long stretches without any.
 */
export async function findBeginning(
	db: Db,
	filter: AuditFilter,
	{
		plan,
		terms,
		count,
		skip,
		descending,
	}: {
		readonly plan: SearchPlan;
		readonly terms: readonly string[];
		readonly count: number;
		readonly skip: number;
		readonly descending: boolean;
	},
): Promise<Beginning> {
	const { rows } = await sql<Span>`with ${buildMatchedCte(filter, terms)}
		select bit_count(entries) as n, oldest, newest from matched where bit_count(entries) > 0`.execute(db);
	// Times are signed by the scan's direction.
	const sign = descending ? -1 : 1;
	const spans = rows
		.map(({ n, oldest, newest }) => {
			const times = [sign * oldest.getTime(), sign * newest.getTime()];
			return { n, first: Math.min(...times), last: Math.max(...times) };
		})
		.sort((a, b) => a.last - b.last);
	const byFirst = [...spans].sort((a, b) => a.first - b.first);
	/** Matches that are not indexed may have any time. */
	const loose = Math.max(0, count - spans.reduce((sum, { n }) => sum + n, 0));
	let beyond: number | null = null;
	let atMost = loose;
	let begun = 0;
	for (const { last } of spans) {
		for (let span = byFirst[begun]; span !== undefined && span.first <= last; span = byFirst[++begun]) atMost += span.n;
		if (atMost > skip) break;
		beyond = last;
	}
	const left = spans.filter(({ last }) => beyond === null || last > beyond);
	const at = loose > 0 || left.length === 0 ? null : new Date(sign * Math.min(...left.map(({ first }) => first)));
	if (beyond === null) return { passed: 0, at, beyond: null };
	const edge = new Date(sign * beyond);
	const until = descending ? { created_after: edge.toISOString() } : { created_before: edge.toISOString() };
	const { count: passed } = await findByTerms(db, { ...filter, ...until }, { plan, terms, few: 0 });
	return passed <= skip ? { passed, at, beyond: edge } : { passed: 0, at: null, beyond: null };
}
