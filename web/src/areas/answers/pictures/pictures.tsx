/** Pictures of the network: topology and tenants, at any moment, with marks. */
import { getRouteApi, useRouter } from "@tanstack/react-router";
import type { PictureKind, TenantPicture, TopologyPicture } from "@weft/contracts";
import { pictureRoutes } from "@weft/contracts/browser";
import { Download, Waypoints } from "lucide-react";
import { useCallback, useRef, useState } from "react";
import { useAnswer } from "../../../platform/call.ts";
import { formatCount, formatPlural } from "../../../platform/format.ts";
import { useTimes } from "../../../platform/profile.ts";
import { saveFile } from "../../../platform/save-file.ts";
import { useSearchState } from "../../../platform/search-state.ts";
import { NO_TARGET, useConnections, useTarget, useTargets } from "../../../platform/target.ts";
import { nameFile } from "../../../platform/workbook.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { CopyAs } from "../../../ui/copy-as.tsx";
import { SelectField } from "../../../ui/field.tsx";
import { FilterSelect } from "../../../ui/filter-select.tsx";
import { Empty, Loaded, PageHead, Panel, ProblemBanner, Skeleton } from "../../../ui/page.tsx";
import { SearchField } from "../../../ui/search-field.tsx";
import { Canvas } from "./canvas.tsx";
import { writeSvg } from "./export-svg.ts";
import { COLOUR_NAMES, type Colour, countLooks, findNodes } from "./looks.ts";
import { MomentField } from "./moment.tsx";
import { PartTables } from "./part-tables.tsx";
import { Cuts, Lacking, Sources } from "./sources.tsx";
import { useLayout } from "./use-layout.ts";

const route = getRouteApi("/app/pictures");
const WINDOWS = [
	{ value: "1", label: "Changes of 1 hour" },
	{ value: "168", label: "Changes of 7 days" },
	{ value: "720", label: "Changes of 30 days" },
	{ value: "2160", label: "Changes of 90 days" },
] as const;
const PICTURES = [
	{ value: "topology", label: "Topology" },
	{ value: "tenant", label: "Tenant" },
] as const;
/** The colours of each picture, the usual one first. */
const OFFERED: Readonly<Record<PictureKind, readonly Colour[]>> = {
	topology: ["state", "changes", "checks", "kind"],
	tenant: ["changes", "kind", "checks"],
};

type Picture = TopologyPicture & Partial<Pick<TenantPicture, "tenant" | "tenants">>;

export function PicturesPage() {
	const [search, set] = useSearchState(route.useSearch(), route.useNavigate(), { replace: true });
	const { picture, connection, at, hours, tenant, q = "" } = search;
	const kind: PictureKind = picture === "tenant" ? "tenant" : "topology";
	const known = useConnections();
	const targets = useTargets();
	const standard = useTarget();
	const chosen = connection ?? standard?.id ?? targets[0]?.id;
	const query = {
		connection: chosen ?? "",
		...(at === undefined ? {} : { at }),
		...(hours === undefined ? {} : { hours }),
		...(kind === "topology" || tenant === undefined ? {} : { tenant }),
	};
	const options = { enabled: chosen !== undefined, keepPrevious: true };
	const topology = useAnswer(
		pictureRoutes.topology,
		{ query },
		{ ...options, enabled: options.enabled && kind === "topology" },
	);
	const policy = useAnswer(
		pictureRoutes.tenant,
		{ query },
		{ ...options, enabled: options.enabled && kind === "tenant" },
	);
	const answer = kind === "topology" ? topology : policy;
	const shown: Picture | undefined = answer.data;
	const offered = OFFERED[kind].filter((one) => one !== "checks" || at === undefined);
	const colour = offered.find((one) => one === search.colour) ?? offered[0] ?? "changes";
	const svg = useRef<SVGSVGElement>(null);
	const subject = shown?.tenant ?? null;
	const title = kind === "topology" ? "Topology" : subject === null ? "Tenant" : `Tenant ${subject}`;
	return (
		<>
			<PageHead
				title={shown === undefined ? "Pictures" : `${title} of ${shown.connection.name}`}
				crumbs={[{ label: "Observe" }]}
				facts={shown && <Facts picture={shown} />}
				actions={
					<>
						<CopyAs
							call={() => ({ route: kind === "topology" ? pictureRoutes.topology : pictureRoutes.tenant, query })}
						/>
						{shown && shown.nodes.length > 0 && <ExportButton svg={svg} title={title} picture={shown} />}
					</>
				}
			/>
			<div className="flex flex-col gap-3 px-5 pb-5 max-sm:px-4">
				<div className="flex flex-wrap items-end gap-2">
					<SelectField
						hideLabel
						label="Picture"
						value={kind}
						options={PICTURES}
						onChange={({ target }) => set({ picture: target.value, colour: undefined, q: undefined })}
					/>
					{targets.length > 0 && (
						<SelectField
							hideLabel
							label="Fabric"
							value={chosen ?? ""}
							options={targets.map(({ id, name }) => ({ value: id, label: name }))}
							onChange={({ target }) => set({ connection: target.value, tenant: undefined })}
						/>
					)}
					{kind === "tenant" && (
						<SelectField
							hideLabel
							label="Tenant"
							value={subject ?? ""}
							options={listTenants(shown)}
							onChange={({ target }) => set({ tenant: target.value || undefined })}
						/>
					)}
					<MomentField at={at} classes={shown?.classes ?? []} onChange={(moment) => set({ at: moment })} />
					<SelectField
						hideLabel
						label="Colour by"
						value={colour}
						options={offered.map((value) => ({ value, label: `Colour by ${COLOUR_NAMES[value].toLowerCase()}` }))}
						onChange={({ target }) => set({ colour: target.value })}
					/>
					<FilterSelect
						label="Changes of"
						any="Changes of 24 hours"
						value={hours}
						options={WINDOWS}
						onChange={(value) => set({ hours: value })}
					/>
				</div>
				{known.data !== undefined && chosen === undefined ? (
					<Empty icon={Waypoints} action={<ButtonLink to="/settings/connections">Connections</ButtonLink>}>
						{NO_TARGET}
					</Empty>
				) : (
					<Loaded answer={answer} lines={8}>
						{(data) => (
							<>
								<Lacking kind={kind} picture={data} />
								<Cuts picture={data} />
								<Drawn
									{...{ kind, colour, q, svg, title }}
									picture={data}
									onSearch={(text) => set({ q: text || undefined })}
								/>
								<Sources picture={data} />
								<PartTables picture={data} />
							</>
						)}
					</Loaded>
				)}
			</div>
		</>
	);
}

const listTenants = (picture: Picture | undefined) => {
	const names = new Set([...(picture?.tenants ?? []), ...(picture?.tenant ? [picture.tenant] : [])]);
	return [...names].map((value) => ({ value, label: value }));
};

function Facts({ picture: { at, nodes, edges, changes_since } }: { readonly picture: Picture }) {
	const times = useTimes();
	return (
		<>
			<span>{at === null ? "latest snapshots" : `as of ${times.dateTime(at)}`}</span>
			<span className="num">{formatPlural(nodes.length, "node")}</span>
			<span className="num">{formatPlural(edges.length, "link")}</span>
			<span>changes since {times.dateTime(changes_since)}</span>
		</>
	);
}

interface ExportButtonProps {
	readonly svg: React.RefObject<SVGSVGElement | null>;
	readonly title: string;
	readonly picture: Picture;
}

/** Saves the picture in the colours of the present theme, with all of its nodes. */
function ExportButton({ svg, title, picture: { connection, at } }: ExportButtonProps) {
	const times = useTimes();
	const save = () => {
		if (svg.current === null) return;
		const style = getComputedStyle(document.documentElement);
		const text = writeSvg(svg.current, `${title} of ${connection.name}`, (name) => style.getPropertyValue(name).trim());
		const day = times.getDay(at ?? Date.now());
		saveFile(`${nameFile(title.toLowerCase(), [connection.name], day)}.svg`, "image/svg+xml", text);
	};
	return (
		<Button icon={Download} onClick={save}>
			Export SVG
		</Button>
	);
}

interface DrawnProps {
	readonly kind: PictureKind;
	readonly picture: Picture;
	readonly colour: Colour;
	readonly q: string;
	readonly title: string;
	readonly svg: React.RefObject<SVGSVGElement | null>;
	onSearch(text: string): void;
}

function Drawn({ kind, picture, colour, q, title, svg, onSearch }: DrawnProps) {
	const router = useRouter();
	const { laid, error } = useLayout(kind, picture);
	const [at, setAt] = useState(0);
	const connection = picture.connection.id;
	const getHref = useCallback(
		(dn: string) => router.buildLocation({ to: "/objects", search: { connection, dn } }).publicHref,
		[router, connection],
	);
	const open = useCallback(
		(dn: string) => void router.navigate({ to: "/objects", search: { connection, dn } }),
		[router, connection],
	);
	if (picture.nodes.length === 0) return <NothingDrawn kind={kind} picture={picture} />;
	if (error !== null) return <ProblemBanner error={error} />;
	if (laid === null) return <Skeleton lines={8} />;
	const found = findNodes(laid.of.nodes, q);
	return (
		<Panel
			title={title}
			aside={
				<>
					<Legend picture={picture} colour={colour} />
					<SearchField
						value={q}
						label="Find in the picture"
						onChange={(text) => {
							setAt(0);
							onSearch(text);
						}}
						onEnter={() => setAt(found.length === 0 ? 0 : (at + 1) % found.length)}
					/>
					<span role="status" className="num text-muted">
						{q !== "" &&
							(found.length === 0
								? "nothing found"
								: `${formatCount((at % found.length) + 1)} of ${formatCount(found.length)}`)}
					</span>
				</>
			}
		>
			<Canvas
				label={title}
				picture={laid.of}
				layout={laid.layout}
				at={found.length === 0 ? 0 : at % found.length}
				getHref={getHref}
				onOpen={open}
				{...{ colour, found, svg }}
			/>
		</Panel>
	);
}

/** Says why there is no drawing: there are no snapshots, or they have no objects. */
function NothingDrawn({ kind, picture }: Pick<DrawnProps, "kind" | "picture">) {
	const isKnown = picture.classes.some(({ source }) => source !== null);
	if (!isKnown)
		return (
			<Empty icon={Waypoints}>
				A picture is drawn from snapshots. {picture.connection.name} has none of the classes below
				{picture.at === null ? "" : " at this moment"}.
			</Empty>
		);
	const tenant = picture.tenant ?? null;
	return (
		<Empty icon={Waypoints}>
			{kind === "tenant" && tenant !== null
				? `The snapshots have no VRF, bridge domain, EPG or contract of the tenant ${tenant}.`
				: "The snapshots have no object to draw."}
		</Empty>
	);
}

function Legend({ picture, colour }: Pick<DrawnProps, "picture" | "colour">) {
	return (
		<ul aria-label="Legend" className="m-0 flex list-none flex-wrap gap-x-3 gap-y-1 p-0 text-xs">
			{countLooks(picture.nodes, colour).map(({ look, count }) => (
				<li key={look.name} className="flex items-center gap-1">
					<span
						aria-hidden="true"
						className="grid size-3.5 place-items-center rounded-cell border font-semibold leading-none"
						style={{
							background: look.fill,
							borderColor: look.stroke,
							borderStyle: look.isDashed ? "dashed" : "solid",
							color: look.stroke,
							fontSize: 10,
						}}
					>
						{look.sign}
					</span>
					{look.name} <span className="num text-muted">{formatCount(count)}</span>
				</li>
			))}
		</ul>
	);
}
