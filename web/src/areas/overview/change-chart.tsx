/** Changes of each fabric per day, over 14 days. */
import { Link } from "@tanstack/react-router";
import type { ChangeSummary } from "@weft/contracts";
import { changeRoutes } from "@weft/contracts/browser";
import { useMemo } from "react";
import { useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useTimes } from "../../platform/profile.ts";
import { LineChart } from "../../ui/line-chart.tsx";
import { Empty, Loaded, Panel } from "../../ui/page.tsx";

const EVERY_MS = 5 * 60_000;
const MINUTE_MS = 60_000;
const DAYS = 14;
/** A choice of the page Changes. */
const MONTH_HOURS = "720";
const DAY_MS = 24 * 3_600_000;
/** More lines cannot be kept apart. */
const LINES_MAX = 8;
const TITLE = `Changes per day, ${DAYS} days`;

type Fabric = ChangeSummary["connections"][number];

const countAll = ({ added, deleted, modified }: Pick<Fabric, "added" | "deleted" | "modified">): number =>
	added + deleted + modified;

export function ChangeChart() {
	const { zone } = useTimes();
	// To the minute of opening: refreshed answers have the same beginning.
	const since = useMemo(
		() => new Date(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - DAYS * DAY_MS).toISOString(),
		[],
	);
	const answer = useAnswer(
		changeRoutes.summary,
		{ query: { since, bucket: "day", tz: zone } },
		{ staleTime: EVERY_MS, every: EVERY_MS },
	);
	return (
		<section aria-label={TITLE}>
			<Panel
				title={TITLE}
				aside={
					<Link
						to="/changes"
						search={{ hours: MONTH_HOURS }}
						className="rounded-cell font-medium text-accent-text hover:underline"
					>
						Changes of 30 days
					</Link>
				}
			>
				<Loaded answer={answer} lines={6}>
					{({ connections }) =>
						connections.length === 0 ? (
							<Empty>
								No snapshot of {DAYS} days shows a change. Changes come from saved queries with snapshots and a
								schedule.
							</Empty>
						) : (
							<Chart fabrics={connections} zone={zone} />
						)
					}
				</Loaded>
			</Panel>
		</section>
	);
}

function Chart({ fabrics, zone }: { readonly fabrics: readonly Fabric[]; readonly zone: string }) {
	const lines = useMemo(
		() =>
			[...fabrics]
				.sort((one, other) => countAll(other) - countAll(one))
				.slice(0, LINES_MAX)
				.map(({ name, series }) => {
					// The window begins within the first day.
					const days = series.slice(1);
					return {
						name,
						points: days.filter((day) => day.is_observed).map((day) => [day.at, countAll(day)] as const),
						breaks: days.filter((day) => !day.is_observed).map((day) => day.at),
					};
				}),
		[fabrics],
	);
	return (
		<>
			<LineChart label={`${TITLE}: one line per fabric`} unit="changes" lines={lines} gapMs={null} zone={zone} />
			{fabrics.length > lines.length && (
				<p className="m-0 px-3 pb-2 text-muted text-xs">
					The chart has the {lines.length} fabrics with the most changes, of {formatPlural(fabrics.length, "fabric")}.
				</p>
			)}
		</>
	);
}
