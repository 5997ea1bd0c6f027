import { OWN, OWN_FIELDS, OWN_FLAGS, OWN_PREFIX } from '../../otlp/own-names.ts';
import { Flag } from '../../trace/flags.ts';
import { countOf, isObject, listOf, textOf } from '../shapes.ts';
import type { Happened, Own } from '../spans/span.ts';
import { type Attributes, firstText } from './attributes.ts';
import { attributesOf, member, microsOfNanos } from './values.ts';

/** What a span of our own export tells beyond the conventions; undefined for spans of others. */
export function ownOf(scope: string, isAgent: boolean, attributes: Attributes, events: unknown): Own | undefined {
  if (scope !== OWN.scope) return undefined;
  return {
    ...factsOf(attributes),
    isSession: isAgent,
    turn: firstText(attributes, OWN.turn),
    hourWrites: countOf(attributes.get(OWN.hourWrites)),
    happened: listOf(events)
      .filter(isObject)
      .map((event): Happened => {
        const told = attributesOf(event.attributes);
        return {
          ...factsOf(told),
          name: textOf(event.name),
          time: microsOfNanos(member(event, 'timeUnixNano', 'time_unix_nano')),
          file: own(told, 'file'),
          effect: own(told, 'effect'),
          domain: own(told, 'domain'),
          process: own(told, 'process'),
        };
      }),
  };
}

function factsOf(attributes: Attributes): Pick<Own, 'status' | 'error' | 'fields' | 'flags'> {
  let flags = 0;
  for (const [flag, name] of Object.entries(OWN_FLAGS))
    if (attributes.get(name) === true) flags |= Flag[flag as keyof typeof OWN_FLAGS];
  return {
    status: own(attributes, 'status'),
    error: firstText(attributes, 'error.type'),
    fields: OWN_FIELDS.map(name => [name, own(attributes, name)] as const).filter(([, value]) => value !== ''),
    flags,
  };
}

function own(attributes: Attributes, name: string): string {
  return firstText(attributes, OWN_PREFIX + name);
}
