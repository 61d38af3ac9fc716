/** One object through the snapshots of a query: changed attributes with times and values. */
import { getRouteApi } from "@tanstack/react-router";
import { timeMachineRoutes } from "@weft/contracts/browser";
import { Box, Route } from "lucide-react";
import { useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useSearchState } from "../../platform/search-state.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { CopyAs } from "../../ui/copy-as.tsx";
import { SelectField } from "../../ui/field.tsx";
import { Empty, Loaded, PageHead, Panel } from "../../ui/page.tsx";
import { BlamePanel } from "./blame.tsx";
import { ControllerField } from "./controller-field.tsx";
import { DnField } from "./dn-field.tsx";
import { ChangeTable, getOne, Lanes } from "./lanes-view.tsx";

const route = getRouteApi("/app/time-machine/track");
const LIMITS = ["20", "50", "100"];

export function TrackPage() {
	const [{ query = "", dn = "", limit = "20", controller: chosen }, set] = useSearchState(
		route.useSearch(),
		route.useNavigate(),
		{ replace: true },
	);
	const queries = useAnswer(timeMachineRoutes.queries, undefined, { staleTime: 60_000 });
	// The latest snapshot names the controller where none is chosen.
	const latest = useAnswer(
		timeMachineRoutes.list,
		{ query: { saved_query_id: query, limit: "1" } },
		{ enabled: query !== "", staleTime: 60_000 },
	);
	const controller = chosen ?? latest.data?.snapshots[0]?.controller_connection_id ?? undefined;
	const isKnown = chosen !== undefined || latest.data !== undefined || latest.error !== null;
	const scope = controller === undefined ? {} : { controller_connection_id: controller };
	const asked = { saved_query_id: query, dn, limit, ...scope };
	const timeline = useAnswer(
		timeMachineRoutes.timeline,
		{ query: asked },
		{ enabled: query !== "" && dn !== "" && isKnown, keepPrevious: true },
	);
	const name = queries.data?.queries.find(({ id }) => id === query)?.name;
	return (
		<>
			<PageHead
				title={dn === "" ? "Track one object" : <span className="mono text-title!">{dn}</span>}
				name={dn === "" ? "Track one object" : dn}
				crumbs={[
					{ label: "Snapshots", to: "/time-machine" },
					...(name ? [{ label: name, to: "/time-machine/$queryId" as const, params: { queryId: query } }] : []),
				]}
				facts={timeline.data && formatPlural(timeline.data.snapshot_count, "snapshot")}
				actions={
					<>
						{controller !== undefined && dn !== "" && (
							<ButtonLink icon={Box} to="/objects" search={{ connection: controller, dn }}>
								Object
							</ButtonLink>
						)}
						<CopyAs call={() => ({ route: timeMachineRoutes.timeline, query: asked })} />
					</>
				}
			/>
			<div className="flex flex-col gap-3 px-5 pb-5 max-sm:px-4">
				<div className="flex flex-wrap items-center gap-2">
					<SelectField
						hideLabel
						label="Query"
						value={query}
						options={[
							{ value: "", label: "Choose a query" },
							...(queries.data?.queries.map(({ id, name: text }) => ({ value: id, label: text })) ?? []),
						]}
						onChange={(event) => set({ query: event.target.value, controller: undefined })}
					/>
					<ControllerField
						controllers={latest.data?.controllers ?? []}
						value={controller}
						all={false}
						onChange={(id) => set({ controller: id })}
					/>
					{query !== "" && (
						<DnField
							queryId={query}
							controller={controller}
							value={dn}
							className="min-w-52 flex-1"
							onChoose={(next) => set({ dn: next })}
						/>
					)}
					<SelectField
						hideLabel
						label="How many snapshots"
						value={limit}
						options={LIMITS.map((value) => ({ value, label: `Latest ${value}` }))}
						onChange={(event) => set({ limit: event.target.value })}
					/>
				</div>
				{query === "" || dn === "" ? (
					<Empty icon={Route}>Select a query and an object.</Empty>
				) : (
					<>
						<Loaded answer={timeline} lines={8}>
							{(data) => (
								<>
									<Panel title="Attributes over time" padded>
										<Lanes timeline={getOne(data)} most={null} />
									</Panel>
									<Panel title="Changes">
										<ChangeTable timeline={getOne(data)} queryId={query} />
									</Panel>
								</>
							)}
						</Loaded>
						{isKnown && <BlamePanel queryId={query} controller={controller} dn={dn} />}
					</>
				)}
			</div>
		</>
	);
}
