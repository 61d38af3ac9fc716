/** The latest snapshots of a query, or those of a day, with the comparison of two. */
import type { timeMachineRoutes } from "@weft/contracts/browser";
import { GitCompareArrows } from "lucide-react";
import type { AnswerOf } from "../../platform/call.ts";
import { useTimes } from "../../platform/profile.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { type AnswerLike, Loaded, Panel } from "../../ui/page.tsx";
import { getControllerKey } from "./pair.ts";
import { SnapshotList } from "./snapshot-list.tsx";
import type { ChosenPair } from "./use-pair.ts";

export const PAGE = 25;
export const OF_A_DAY = 100;

interface SnapshotsPanelProps {
	readonly queryId: string;
	readonly list: AnswerLike<AnswerOf<typeof timeMachineRoutes.list>>;
	readonly pair: ChosenPair;
	/** Undefined: the latest snapshots are shown, from `offset` on. */
	readonly date: string | undefined;
	readonly offset: number;
	onLatest(): void;
	onOffset(offset: number): void;
}

export function SnapshotsPanel({ queryId, list, pair, date, offset, onLatest, onOffset }: SnapshotsPanelProps) {
	const times = useTimes();
	return (
		<Panel
			title={date === undefined ? "Latest snapshots" : `Snapshots on ${times.day(date)}`}
			aside={
				<>
					{date !== undefined && (
						<Button variant="ghost" onClick={onLatest}>
							Show the latest
						</Button>
					)}
					<CompareLink queryId={queryId} pair={pair} />
				</>
			}
		>
			<Loaded answer={list} lines={6}>
				{({ snapshots, total_count, controllers }) => (
					<SnapshotList
						snapshots={snapshots}
						total={total_count}
						withDay={date === undefined}
						withController={new Set(controllers.map(getControllerKey)).size > 1}
						from={pair.ends.from}
						to={pair.ends.to}
						offset={date === undefined ? offset : 0}
						pageSize={date === undefined ? PAGE : OF_A_DAY}
						onChoose={pair.choose}
						onOffset={onOffset}
					/>
				)}
			</Loaded>
		</Panel>
	);
}

/** Absent without two snapshots. */
function CompareLink({ queryId, pair: { ends, both } }: Pick<SnapshotsPanelProps, "queryId" | "pair">) {
	const times = useTimes();
	if (ends.from === undefined || ends.to === undefined || ends.from === ends.to) return null;
	const nameEnds = (): string => {
		if (both === null) return "Compare";
		const { earlier, later } = both;
		if (both.crosses) return `Compare ${earlier.controller_connection_name} with ${later.controller_connection_name}`;
		const isSameMinute = times.dateTime(earlier.executed_at) === times.dateTime(later.executed_at);
		const [a, b] = [earlier, later].map(({ executed_at }) => times.time(executed_at, isSameMinute));
		return `Compare ${a} with ${b}`;
	};
	return (
		<ButtonLink
			variant={both?.crosses ? "default" : "primary"}
			icon={GitCompareArrows}
			to="/time-machine/compare"
			search={{ from: ends.from, to: ends.to, query: queryId }}
		>
			{nameEnds()}
		</ButtonLink>
	);
}
