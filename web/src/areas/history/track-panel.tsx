/** One object followed through the snapshots, beside their list. */

import { Link } from "@tanstack/react-router";
import { timeMachineRoutes } from "@weft/contracts/browser";
import { ArrowUpRight } from "lucide-react";
import { useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { Empty, Loaded, Panel } from "../../ui/page.tsx";
import { ControllerField } from "./controller-field.tsx";
import type { Controllers } from "./controller-options.ts";
import { DnField } from "./dn-field.tsx";
import { getOne, Lanes } from "./lanes-view.tsx";

const LANES = 6;

interface TrackPanelProps {
	readonly queryId: string;
	readonly controllers: Controllers;
	/** The controller that the object is followed on; undefined: it is known by name alone. */
	readonly controller: string | undefined;
	readonly dn: string;
	onDn(dn: string): void;
	onController(id: string | undefined): void;
}

export function TrackPanel({ queryId, controllers, controller, dn, onDn, onController }: TrackPanelProps) {
	const scope = controller === undefined ? {} : { controller_connection_id: controller };
	const timeline = useAnswer(
		timeMachineRoutes.timeline,
		{ query: { saved_query_id: queryId, dn, ...scope } },
		{ enabled: dn !== "", keepPrevious: true },
	);
	return (
		<Panel
			title="Track one object"
			padded
			aside={
				dn !== "" && (
					<>
						{timeline.data && (
							<span className="text-muted">{formatPlural(timeline.data.snapshot_count, "snapshot")}</span>
						)}
						<Link
							to="/time-machine/track"
							search={{ query: queryId, dn, controller }}
							className="inline-flex items-center gap-1 rounded-cell font-medium text-accent-text hover:underline"
						>
							Open <ArrowUpRight size={13} aria-hidden="true" />
						</Link>
					</>
				)
			}
		>
			<div className="flex flex-col gap-3">
				<ControllerField
					label="Fabric of the object"
					controllers={controllers}
					value={controller}
					all={false}
					onChange={onController}
				/>
				<DnField queryId={queryId} controller={controller} value={dn} onChoose={onDn} />
				{dn === "" ? (
					<Empty>Type a part of a DN to see how this object changed over time.</Empty>
				) : (
					<Loaded answer={timeline} lines={4}>
						{(data) => <Lanes timeline={getOne(data)} most={LANES} />}
					</Loaded>
				)}
			</div>
		</Panel>
	);
}
