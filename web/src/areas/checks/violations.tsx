/** The violations of a check over time, one line per connection. */
import type { Check } from "@weft/contracts";
import { checkRoutes } from "@weft/contracts/browser";
import { lazy, Suspense, useMemo } from "react";
import { useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useTimes } from "../../platform/profile.ts";
import { nameFile } from "../../platform/workbook.ts";
import { Empty, Loaded, Panel, Skeleton } from "../../ui/page.tsx";
import { SheetMenu } from "../../ui/sheet-menu.tsx";
import { buildTrendSheet } from "../../ui/trend-sheet.ts";
import { formatConnectionName } from "./words.tsx";

const TrendView = lazy(async () => ({ default: (await import("../../ui/trend-view.tsx")).TrendView }));

export function Violations({ check }: { check: Check }) {
	const answer = useAnswer(checkRoutes.series, { params: { id: check.id }, query: {} }, { keepPrevious: true });
	const groups = answer.data?.groups;
	const lines = useMemo(
		() =>
			(groups ?? []).map(({ key, points, failed_at }) => ({
				name: formatConnectionName({ controller_connection_name: key }),
				points,
				breaks: failed_at,
			})),
		[groups],
	);
	const times = useTimes();
	const fabrics = (groups ?? []).flatMap(({ key }) => key ?? []);
	return (
		<Panel
			title="Violations over time"
			aside={
				answer.data && (
					<span className="flex items-center gap-2">
						<span className="num text-muted">{formatPlural(answer.data.evaluations, "evaluation")}</span>
						{answer.data.evaluations > 0 && (
							<SheetMenu
								name={nameFile(check.name, fabrics, times.getDay(Date.now()))}
								read={() => buildTrendSheet(lines, times)}
							/>
						)}
					</span>
				)
			}
		>
			<Loaded answer={answer} lines={4}>
				{({ missing }) =>
					lines.every(({ points }) => points.length === 0) ? (
						<Empty>No evaluation in the last 90 days.</Empty>
					) : (
						<Suspense fallback={<Skeleton lines={6} className="p-3" />}>
							{missing > 0 && (
								<p className="m-0 px-3 pt-2 text-muted text-xs">
									{formatPlural(missing, "evaluation")} failed and {missing === 1 ? "is a gap" : "are gaps"} in the
									line.
								</p>
							)}
							<TrendView label="Violations" unit="violations" lines={lines} gapMs={null} />
						</Suspense>
					)
				}
			</Loaded>
		</Panel>
	);
}
