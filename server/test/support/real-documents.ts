/** The real class documents of a controller, where they are at hand. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const DOCUMENT_FOLDER = fileURLToPath(new URL("../../../../shared/data/controller/jsonmeta/", import.meta.url));
export const hasDocuments = existsSync(DOCUMENT_FOLDER);

export interface RealProperty {
	label: string;
	comment?: string[];
	default?: string | number;
	isNaming: boolean;
	isConfigurable: boolean;
	readOnly: boolean;
	secure: boolean;
	createOnly: boolean;
	baseType: string;
	modelType: string;
	uitype: string;
	versions?: string;
	likeProp?: string;
	validValues?: { value: string; localName: string; label: string }[];
	validators?: {
		min?: number;
		max?: number;
		regexs?: { regex: string; type: string }[];
		regex?: string;
		type?: string;
	}[];
}
export interface RealClass {
	classPkg: string;
	className: string;
	label: string;
	comment?: string[];
	versions?: string;
	rnFormat: string;
	moCategory: string;
	isAbstract: boolean;
	isConfigurable: boolean;
	isContextRoot: boolean;
	identifiedBy: string[];
	dnFormats: string[];
	superClasses: string[];
	subClasses: Record<string, string>;
	contains: Record<string, string>;
	containedBy: Record<string, string>;
	relationTo?: Record<string, string>;
	relationFrom?: Record<string, string>;
	relationInfo?: Record<string, string | boolean>;
	faults: Record<string, string>;
	readAccess: string[];
	properties: Record<string, RealProperty>;
}

export const removeColon = (name: string): string => name.replace(":", "");
/** Each document with the name of its class; none where they are not at hand. */
export const documents: readonly [name: string, document: RealClass][] = hasDocuments
	? readdirSync(DOCUMENT_FOLDER).map((file) => {
			const [[name, document] = ["", {} as RealClass]] = Object.entries(
				JSON.parse(readFileSync(DOCUMENT_FOLDER + file, "utf8")) as Record<string, RealClass>,
			);
			return [removeColon(name), document];
		})
	: [];
