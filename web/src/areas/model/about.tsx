/** A class in detail: naming, queries, properties, and other facts of the model. */
import type { ClassDetail } from "@weft/contracts";
import { mimRoutes } from "@weft/contracts/browser";
import type { ReactNode } from "react";
import { useAnswer } from "../../platform/call.ts";
import { formatCount } from "../../platform/format.ts";
import { CopyButton } from "../../ui/copy.tsx";
import { Loaded, Panel } from "../../ui/page.tsx";
import { ClassLink } from "./finder.tsx";

const LONG_MS = 10 * 60_000;
const FORMS = 20;
const METHODS: Readonly<Record<string, string>> = {
	dn: "By its DN",
	class: "As a class",
	parent: "Through its parent",
	sub_classes: "Through its sub classes",
};

export function AboutClass({ detail }: { detail: ClassDetail }) {
	const answer = useAnswer(mimRoutes.insights, { params: { class_name: detail.name } }, { staleTime: LONG_MS });
	return (
		<div className="flex flex-col gap-3">
			<Panel title="How to query">
				<Loaded answer={answer} lines={4}>
					{({ preferred_method, example_dn, required_properties, common_children, notes }) => (
						<Facts
							facts={[
								["Best queried", METHODS[preferred_method] ?? preferred_method],
								[
									"Example",
									example_dn && (
										<>
											<span className="mono break-all">{example_dn}</span>{" "}
											<CopyButton text={example_dn} label="Copy the DN" />
										</>
									),
								],
								["Needs", required_properties.length > 0 && <Mono text={required_properties.join(", ")} />],
								[
									"Often contains",
									common_children.length > 0 && <Links names={common_children.map(({ name }) => name)} />,
								],
								["Notes", notes.length > 0 && notes.join(" ")],
							]}
						/>
					)}
				</Loaded>
			</Panel>
			<Panel title="Model">
				<Facts
					facts={[
						["Qualified name", <Mono key="name" text={detail.qualified_name} />],
						["Named by", detail.identified_by.length > 0 && <Mono text={detail.identified_by.join(", ")} />],
						["RN", detail.rn_format && <Mono text={detail.rn_format} />],
						["Category", detail.category],
						["Creatable and deletable", detail.creatable_deletable],
						["Releases", detail.versions],
						["Source version", <Mono key="version" text={detail.source_version} />],
						["Read by", detail.read_access.length > 0 && <Mono text={detail.read_access.join(", ")} />],
						["Written by", detail.write_access.length > 0 && <Mono text={detail.write_access.join(", ")} />],
						["Platforms", detail.platforms.join(", ")],
						["Traits", detail.traits.length > 0 && <Mono text={detail.traits.join(", ")} />],
						["Faults", renderCodes(detail.faults)],
						["Events", renderCodes(detail.events)],
					]}
				/>
			</Panel>
			{detail.dn_formats.length > 1 && (
				<Panel title="DN formats" aside={<span className="num text-muted">{formatCount(detail.dn_format_count)}</span>}>
					<ul className="mono m-0 list-none break-all p-3">
						{detail.dn_formats.slice(0, FORMS).map((form) => (
							<li key={form}>{form}</li>
						))}
					</ul>
					{detail.dn_format_count > FORMS && (
						<p className="m-0 px-3 pb-3 text-muted">
							The first {FORMS} of {formatCount(detail.dn_format_count)}; the API lists all of them.
						</p>
					)}
				</Panel>
			)}
		</div>
	);
}

const renderCodes = (all: Readonly<Record<string, string>>): ReactNode => {
	const entries = Object.entries(all);
	return entries.length > 0 && <Mono text={entries.map(([code, name]) => `${code} ${name}`).join(", ")} />;
};

const Mono = ({ text }: { text: string }) => <span className="mono break-words">{text}</span>;

const Links = ({ names }: { names: readonly string[] }) => (
	<span className="flex flex-wrap gap-x-3">
		{names.map((name) => (
			<ClassLink key={name} name={name} />
		))}
	</span>
);

/** Those that are known. */
function Facts({ facts }: { facts: readonly (readonly [term: string, value: ReactNode])[] }) {
	return (
		<dl className="m-0 grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1.5 p-3 max-sm:grid-cols-1">
			{facts
				.filter(([, value]) => value)
				.map(([term, value]) => (
					<div key={term} className="contents">
						<dt className="text-muted">{term}</dt>
						<dd className="m-0 min-w-0">{value}</dd>
					</div>
				))}
		</dl>
	);
}
