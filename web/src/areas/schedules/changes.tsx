/** How much each of the latest snapshots of a schedule's query differs from the one before. */
import { Link } from "@tanstack/react-router";
import type { Snapshot } from "@weft/contracts";
import { timeMachineRoutes } from "@weft/contracts/browser";
import { useAnswer } from "../../platform/call.ts";
import { formatCount } from "../../platform/format.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { joinClasses } from "../../ui/classes.ts";
import { Empty, Loaded, Panel } from "../../ui/page.tsx";
import { useChangeAlert } from "../checks/alert-on-changes.tsx";
import { buildBar } from "./bars.ts";

const LATEST = "40";
const HEIGHT_PX = 48;
const LINK = "rounded-cell font-medium text-accent-text hover:underline";

export function Changes({ queryId }: { queryId: string }) {
	const may = useMay();
	const allowed = may("view_snapshot");
	const answer = useAnswer(
		timeMachineRoutes.list,
		{ query: { saved_query_id: queryId, limit: LATEST } },
		{ enabled: allowed },
	);
	const alert = useChangeAlert(queryId, []);
	if (!allowed) return null;
	return (
		<Panel
			title="Changes"
			padded
			aside={
				<span className="flex items-center gap-3">
					{alert.button}
					<Link to="/time-machine/$queryId" params={{ queryId }} className={LINK}>
						History
					</Link>
				</span>
			}
		>
			{alert.result && <div className="mb-3">{alert.result}</div>}
			<Loaded answer={answer} lines={3}>
				{({ snapshots }) =>
					snapshots.length === 0 ? <Empty>The query has no snapshot yet.</Empty> : <Bars snapshots={snapshots} />
				}
			</Loaded>
		</Panel>
	);
}

/** @param snapshots newest first */
function Bars({ snapshots }: { snapshots: readonly Snapshot[] }) {
	const times = useTimes();
	const bars = snapshots.map(buildBar).reverse();
	const most = Math.max(1, ...bars.map(({ changes }) => changes));
	const scale = Math.log1p(most);
	const [first, last] = [bars[0], bars.at(-1)];
	return (
		<div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 gap-y-1">
			<span className="num flex flex-col justify-between text-right text-2xs text-muted" title="Changed objects">
				<span>{formatCount(most)}</span>
				<span>0</span>
			</span>
			<ol
				aria-label="Changes by snapshot"
				className="m-0 flex list-none items-end gap-px p-0"
				style={{ height: HEIGHT_PX }}
			>
				{bars.map(({ id, at, changes, words, where, tone }) => {
					const label = `${times.dateTime(at)}, ${where}: ${words}`;
					return (
						<li key={id} className="flex h-full min-w-0 max-w-4 flex-1 items-end">
							<Link
								to="/time-machine/snapshots/$id"
								params={{ id }}
								aria-label={label}
								title={label}
								className="flex h-full w-full items-end rounded-[2px] hover:bg-sunken"
							>
								<span
									aria-hidden="true"
									className={joinClasses("w-full rounded-[2px] [forced-color-adjust:none]", TONES[tone])}
									style={{ height: Math.max(3, (Math.log1p(changes) / scale) * HEIGHT_PX) }}
								/>
							</Link>
						</li>
					);
				})}
			</ol>
			<span />
			<span className="num text-2xs text-muted">
				{first && last && first !== last
					? `From ${times.dateTime(first.at)} on the left to ${times.dateTime(last.at)} on the right`
					: first && times.dateTime(first.at)}
			</span>
			<span />
			<span className="flex flex-wrap gap-x-3 text-2xs text-muted">
				Changed objects by snapshot, on a logarithmic scale:
				{LEGEND.map(([tone, word]) => (
					<span key={tone} className="inline-flex items-center gap-1">
						<span
							aria-hidden="true"
							className={joinClasses("size-2.5 rounded-[2px] [forced-color-adjust:none]", TONES[tone])}
						/>
						{word}
					</span>
				))}
			</span>
		</div>
	);
}

const LEGEND = [
	["none", "no change"],
	["info", "info"],
	["warning", "warning"],
	["critical", "critical"],
] as const;

const TONES = { none: "bg-line", info: "bg-accent", warning: "bg-warn", critical: "bg-bad" } as const;
