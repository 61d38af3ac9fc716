/** The number of rows of a query over time, beside the query. */
import { timeMachineRoutes } from "@weft/contracts/browser";
import { ChartLine } from "lucide-react";
import { useState } from "react";
import { useAnswer } from "../../platform/call.ts";
import { useTimes } from "../../platform/profile.ts";
import { ButtonLink, TextButton } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Loaded } from "../../ui/page.tsx";
import { FabricField, SeriesMenu, SeriesView } from "./series-view.tsx";

const EVERY_MS = 3_000;
const LABEL = "Count of rows";

export function TrendOfQuery({ id, name }: { id: string; name: string }) {
	const [open, setOpen] = useState(false);
	return (
		<>
			<TextButton className="inline-flex items-center gap-1.5" onClick={() => setOpen(true)}>
				<ChartLine size={13} aria-hidden="true" />
				Trend
			</TextButton>
			{open && <TrendDialog id={id} name={name} onClose={() => setOpen(false)} />}
		</>
	);
}

function TrendDialog({ id, name, onClose }: { id: string; name: string; onClose(): void }) {
	const times = useTimes();
	const [controller, setController] = useState<string>();
	const [isComputing, setComputing] = useState(false);
	const answer = useAnswer(
		timeMachineRoutes.series,
		{
			query: {
				saved_query_id: id,
				timezone: times.zone,
				...(controller === undefined ? {} : { controller_connection_id: controller }),
			},
		},
		{ keepPrevious: true, every: isComputing ? EVERY_MS : false },
	);
	const pending = answer.data?.computing === true;
	if (pending !== isComputing) setComputing(pending);
	const shown = controller ?? answer.data?.controller_connection?.id;
	const series = pending || answer.isPlaceholderData ? undefined : answer.data;
	return (
		<Dialog
			open
			side="right"
			title={`Trend of ${name}`}
			description="The number of rows of each snapshot."
			onClose={onClose}
			actions={
				<>
					<SeriesMenu query={name} label={LABEL} series={series} />
					<ButtonLink
						icon={ChartLine}
						to="/time-machine/$queryId/trends"
						params={{ queryId: id }}
						search={{ controller: shown }}
					>
						Other numbers and groups
					</ButtonLink>
				</>
			}
		>
			<div className="flex flex-col gap-3">
				<FabricField queryId={id} value={shown} onChange={setController} />
				<Loaded answer={answer} lines={8}>
					{(series) => <SeriesView label={LABEL} unit="rows" series={series} gapMs={null} />}
				</Loaded>
			</div>
		</Dialog>
	);
}
