/** One object of a fabric: attributes, changes with their persons, surroundings, and checks. */
import { getRouteApi } from "@tanstack/react-router";
import type { ObjectAnswer } from "@weft/contracts";
import { objectRoutes } from "@weft/contracts/browser";
import { Box, Network, RefreshCw, Waypoints } from "lucide-react";
import { useAnswer } from "../../../platform/call.ts";
import { splitDn } from "../../../platform/dn-text.ts";
import { findProblem } from "../../../platform/problem.ts";
import { useMay, useTimes } from "../../../platform/profile.ts";
import { useSearchState } from "../../../platform/search-state.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { CopyButton } from "../../../ui/copy.tsx";
import { CopyAs } from "../../../ui/copy-as.tsx";
import { OpenWindowBanners } from "../../../ui/open-window-banner.tsx";
import { Banner, Empty, PageHead } from "../../../ui/page.tsx";
import { Pill } from "../../../ui/pill.tsx";
import { Unloaded } from "../../../ui/unloaded.tsx";
import { AttributeGroups } from "./attribute-groups.tsx";
import { LanesPanel } from "./lanes-panel.tsx";
import { ObjectChanges } from "./object-changes.tsx";
import { Surroundings } from "./surroundings.tsx";

const route = getRouteApi("/app/objects");
const CRUMBS = [{ label: "Find", to: "/find" as const }];

export function ObjectPage() {
	const [{ connection = "", dn = "", live }, set] = useSearchState(route.useSearch(), route.useNavigate(), {
		replace: true,
	});
	const query = { connection, dn, ...(live === "1" ? { live: "1" as const } : {}) };
	const answer = useAnswer(
		objectRoutes.detail,
		{ query },
		{ enabled: connection !== "" && dn !== "", keepPrevious: live === "1" },
	);
	if (connection === "" || dn === "") {
		return (
			<>
				<PageHead title="Object" crumbs={CRUMBS} />
				<Empty icon={Box} action={<ButtonLink to="/find">Find an object</ButtonLink>}>
					The address names no object.
				</Empty>
			</>
		);
	}
	if (answer.data === undefined && findProblem(answer.error).status === 404)
		return <UnknownObject dn={dn} wasAsked={live === "1"} onLive={() => set({ live: "1" })} />;
	if (answer.data === undefined) {
		return <Unloaded what="Object" crumbs={CRUMBS} error={answer.error} onRetry={() => void answer.refetch()} />;
	}
	return (
		<ObjectView
			object={answer.data}
			query={query}
			isAsking={answer.isFetching}
			onLive={() => (live === "1" ? void answer.refetch() : set({ live: "1" }))}
		/>
	);
}

/** An object that no snapshot has may be on the controller all the same. */
function UnknownObject({ dn, wasAsked, onLive }: { dn: string; wasAsked: boolean; onLive(): void }) {
	const may = useMay();
	return (
		<>
			<PageHead title="Object not found" crumbs={CRUMBS} facts={<span className="mono">{dn}</span>} />
			<Empty
				icon={Box}
				action={
					<>
						{!wasAsked && may("execute_savedquery") && (
							<Button variant="primary" icon={RefreshCw} onClick={onLive}>
								Read from the controller
							</Button>
						)}
						<ButtonLink to="/find" search={{ q: dn }}>
							Find it in all fabrics
						</ButtonLink>
					</>
				}
			>
				No snapshot that you see has this object{wasAsked && ", and the controller did not show it"}.
			</Empty>
		</>
	);
}

interface ObjectViewProps {
	readonly object: ObjectAnswer;
	readonly query: { readonly connection: string; readonly dn: string; readonly live?: "1" };
	readonly isAsking: boolean;
	onLive(): void;
}

function ObjectView({ object, query, isAsking, onLive }: ObjectViewProps) {
	const { connection, dn, class_name, label, is_current, first_seen_at, last_seen_at } = object;
	const times = useTimes();
	const may = useMay();
	const drawn = findPicture(class_name, dn);
	return (
		<>
			<PageHead
				title={label || splitDn(dn).last}
				crumbs={[...CRUMBS, { label: connection.name }]}
				facts={
					<>
						<span className="mono">{class_name}</span>
						<span className="mono [overflow-wrap:anywhere]">{dn}</span>
						<CopyButton text={dn} label="Copy the DN" />
						{!is_current && <Pill tone="warn">not in the latest snapshot</Pill>}
						{first_seen_at && last_seen_at && (
							<span>
								seen from {times.dateTime(first_seen_at)} to {times.dateTime(last_seen_at)}
							</span>
						)}
					</>
				}
				actions={
					<>
						{may("view_modelclass") && (
							<ButtonLink icon={Network} to="/model/$name" params={{ name: class_name }}>
								Class {class_name}
							</ButtonLink>
						)}
						{drawn !== null && (
							<ButtonLink icon={Waypoints} to="/pictures" search={{ ...drawn, connection: connection.id, q: dn }}>
								In the picture
							</ButtonLink>
						)}
						<CopyAs call={() => ({ route: objectRoutes.detail, query })} />
						{may("execute_savedquery") && (
							<Button icon={RefreshCw} busy={isAsking} onClick={onLive}>
								Read from the controller
							</Button>
						)}
					</>
				}
			/>
			<div className="flex flex-col gap-3 px-5 pb-5 max-sm:px-4">
				<OpenWindowBanners connections={[connection.id]} />
				<LiveNote object={object} />
				<div className="grid gap-3 xl:grid-cols-[minmax(0,1.4fr)_minmax(0,1fr)]">
					<div className="flex min-w-0 flex-col gap-3">
						<ObjectChanges object={object} />
						<AttributeGroups object={object} />
						<LanesPanel object={object} />
					</div>
					<Surroundings object={object} />
				</div>
			</div>
		</>
	);
}

/** Classes that are nodes of the picture of a tenant. */
const POLICY_CLASSES = ["fvCtx", "fvBD", "fvAEPg", "l3extInstP", "vzBrCP"];

/** Finds the picture that has an object. Returns null if none has its class. */
function findPicture(className: string, dn: string): { picture: string; tenant?: string } | null {
	if (className === "fabricNode") return { picture: "topology" };
	const tenant = /^uni\/tn-([^/]+)/.exec(dn)?.[1];
	return tenant !== undefined && POLICY_CLASSES.includes(className) ? { picture: "tenant", tenant } : null;
}

function LiveNote({ object: { live, connection } }: Pick<ObjectViewProps, "object">) {
	const times = useTimes();
	if (live === null) return null;
	if (live.error !== null) {
		return (
			<Banner
				tone="bad"
				title={`${connection.name} did not answer.`}
				detail={`${live.error} The latest snapshot is shown.`}
			/>
		);
	}
	if (live.is_present === false)
		return (
			<Banner tone="warn" title={`${connection.name} has no such object now.`} detail="The latest snapshot is shown." />
		);
	return <Banner tone="ok" title={`Read from ${connection.name}`} detail={times.dateTime(live.at)} />;
}
