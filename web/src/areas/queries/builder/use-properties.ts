/** Properties of a class and the values of one of them, as the class model knows them. */
import type { ModelProperty } from "@weft/contracts";
import { mimRoutes } from "@weft/contracts/browser";
import { useMemo } from "react";
import { useAnswer } from "../../../platform/call.ts";
import { useMay } from "../../../platform/profile.ts";

const LONG_MS = 10 * 60_000;

interface Properties {
	/** Naming ones first, then configurable ones, then those that the fabric reports. */
	readonly properties: readonly Pick<ModelProperty, "name" | "label" | "naming" | "configurable">[];
	/** Of an enumeration, as the controller's API writes them. */
	readonly values: readonly { readonly value: string; readonly label: string }[];
}

const getRank = ({ naming, name, configurable }: ModelProperty): number =>
	naming ? 0 : name === "name" ? 1 : configurable ? 2 : 3;

const sortProperties = (properties: readonly ModelProperty[]): ModelProperty[] =>
	[...properties].sort((a, b) => getRank(a) - getRank(b) || a.name.localeCompare(b.name));

/** Empty where there is no model, or no such class in it. */
export function useProperties(className: string, property: string): Properties {
	const may = useMay()("view_modelclass");
	const { data } = useAnswer(
		mimRoutes.detail,
		{ params: { class_name: className || "-" } },
		{ enabled: may && className !== "", staleTime: LONG_MS },
	);
	const properties = useMemo(() => sortProperties(data?.properties ?? []), [data]);
	const name = property.slice(property.lastIndexOf(".") + 1);
	const values = properties.find((each) => each.name === name)?.valid_values ?? [];
	return { properties, values: values.map(({ local_name: value, label }) => ({ value, label })) };
}
