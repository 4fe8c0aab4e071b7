"""What of the world the KB holds: how complete each class, relation and attribute is, and of which year its facts are.

Each entry is (coverage, limit, as_of).

coverage  complete  practically all of the real world; for a relation all values of a subject, and all subjects of a value
          window    complete within a period, a region, a source or above a threshold, which the limit names
          top       the main ones only; the limit names which
          sample    neither; nobody can say what is in it
limit     a plural noun phrase that ends the sentence "..., counting only LIMIT?"; only for window and top
as_of     the year of the data, for facts that change with time and have no time of their own; else None
"""

COMPLETE = ("complete", None, None)
SAMPLE = ("sample", None, None)


def window(limit, as_of=None):
    return ("window", limit, as_of)


def top(limit, as_of=None):
    return ("top", limit, as_of)


def sample(as_of):
    return ("sample", None, as_of)


# Phrases that several entries share.
CITIES = "cities of at least 15,000 people and capitals"
AIRPORTS = "airports with an IATA code"
RIVERS = "major rivers"
LAKES = "major lakes"
ELECTIONS = "U.S. elections from 1976 to 2020"
CANDIDATES = "the main candidates in U.S. elections from 1976 to 2020"
CONGRESS = "U.S. presidents and members of Congress up to 2015"
COMMITTEES = "committees of the U.S. Congress in 2015"
LAUREATES = "Nobel laureates up to 2010"
AIRLINES = "the main U.S. airlines"
FLIGHTS = "domestic U.S. flights in July 2026"
CURRENCIES = "currencies that have or had an ISO 4217 code"
ISOTOPES = "isotopes with a known half-life or natural abundance"
FACTBOOK = "countries and territories in the World Factbook"
PRESIDENTS = "U.S. presidents up to Joe Biden"
LATEST = "the latest World Factbook figures"
THREE = "the three latest World Factbook figures of each country"

COVERAGE = {
    "class": {
        "agent": SAMPLE, "person": SAMPLE, "actor": SAMPLE, "film_director": SAMPLE, "screenwriter": SAMPLE, "politician": SAMPLE,
        "nobel_laureate": window(LAUREATES),
        "scientist": SAMPLE, "organization": SAMPLE, "production_company": SAMPLE, "research_institution": SAMPLE,
        "international_organization": top("the main international organizations"),
        "political_party": SAMPLE,
        "legislative_committee": window(COMMITTEES),
        "airline": window(AIRLINES),
        "place": SAMPLE,
        "continent": COMPLETE, "world_region": COMPLETE,
        "political_territory": window("present-day countries and territories"),
        "country": COMPLETE, "territory": COMPLETE,
        "historical_country": SAMPLE,
        "division": SAMPLE,              # those whose name is not certain are left out
        "us_state": COMPLETE,
        "city": window(CITIES),
        "airport": window(AIRPORTS),
        "natural_feature": SAMPLE,
        "river": top(RIVERS),
        "lake": top(LAKES),
        "sea": SAMPLE,
        "geographic_point": top("the highest and lowest points of countries"),
        "work": SAMPLE, "film": SAMPLE, "event": SAMPLE,
        "election": window(ELECTIONS),
        "presidential_election": window("U.S. presidential elections from 1976 to 2020"),
        "senate_election": window("U.S. Senate elections from 1976 to 2020"),
        "substance": SAMPLE,
        "chemical_element": COMPLETE,
        "isotope": window(ISOTOPES),
        "commodity": SAMPLE, "concept": SAMPLE, "language": SAMPLE,
        "currency": window(CURRENCIES),
        "film_genre": SAMPLE, "religion": SAMPLE, "ethnic_group": SAMPLE, "field_of_study": SAMPLE,
        "award": window("the five Nobel prizes and the prize in economic sciences"),
        "political_office": SAMPLE, "form_of_government": SAMPLE,
        "time_zone": COMPLETE, "climate_zone": COMPLETE, "periodic_table_group": COMPLETE, "element_series": COMPLETE,
        "decay_mode": SAMPLE,
    },
    "relation": {
        "director": SAMPLE, "screenwriter": SAMPLE, "cast_member": SAMPLE, "genre": SAMPLE, "original_language": SAMPLE,
        "country_of_origin": SAMPLE, "production_company": SAMPLE,
        # Posts of the leaders of Congress are those of members who served in 2015.
        "position_held": window(CONGRESS),
        "party": window(CONGRESS),
        "represents": window(CONGRESS),
        "committee": window(COMMITTEES),
        "parent_committee": window(COMMITTEES, "2015"),
        "jurisdiction": SAMPLE,
        "candidate": top(CANDIDATES),
        "winner": window(ELECTIONS),
        "election_place": window(ELECTIONS),
        "office_contested": window(ELECTIONS),
        "head_of_state": sample("2026"),
        "head_of_government": sample("2026"),
        "member_of": top("memberships of the main international organizations", "2025"),
        "observer_of": top("observers at the main international organizations", "2025"),
        "form_of_government": sample("2025"),
        "dependency_of": window("dependent territories in the World Factbook"),
        "independent_from": SAMPLE,
        "continent": COMPLETE, "region": COMPLETE,
        "capital": COMPLETE,
        "borders": window("land borders in the World Factbook"),
        "official_language": window("languages with national official status in Unicode CLDR", "2025"),
        "language_used": top("the main languages", "2025"),
        "religion": sample("2025"), "ethnic_group": sample("2025"),
        "climate_zone": window("climate zones that cover at least 0.1 percent of a country"),
        "highest_point": window("highest points that the World Factbook names"),
        "lowest_point": window("lowest points that the World Factbook names"),
        "located_in_country": window("places with at least 15,000 inhabitants, capitals, airports with an IATA code and major lakes"),
        "located_in_division": SAMPLE,
        "time_zone": window("countries, territories, places with at least 15,000 inhabitants, capitals and airports with an IATA code"),
        "flows_through": top(RIVERS),
        "river_source": SAMPLE, "river_mouth": SAMPLE,
        "currency": window(CURRENCIES, "2025"),
        "export_partner": top("the five main export partners"),
        "import_partner": top("the five main import partners"),
        "export_commodity": top("the five main exports"),
        "import_commodity": top("the five main imports", "2023"),
        "agricultural_product": top("the ten main farm products", "2023"),
        "natural_resource": top("the main natural resources"),
        "serves_city": SAMPLE,
        "direct_flight": window(FLIGHTS, "2026"),
        "flies_to": window(FLIGHTS, "2026"),
        "isotope_of": window(ISOTOPES),
        "decay_mode": SAMPLE, "decays_to": SAMPLE,
        "element_series": COMPLETE, "periodic_table_group": COMPLETE,
        "discoverer": SAMPLE, "country_of_discovery": SAMPLE,
        "top_producer": top("the three main producers", "2011"),
        "top_reserve_holder": top("the three main reserve holders", "2011"),
        "award_received": window(LAUREATES),
        "country_of_birth": window(LAUREATES),
        "place_of_birth": SAMPLE, "affiliation": SAMPLE, "field_of_work": SAMPLE,
        "writing_language": window("Nobel laureates in literature up to 2010"),
        "located_in_city": SAMPLE, "based_in_country": SAMPLE, "religious_affiliation": SAMPLE,
    },
    "attribute": {
        "publication_date": SAMPLE, "duration": SAMPLE, "box_office": sample("2026"), "rotten_tomatoes_score": sample("2026"),
        "metacritic_score": sample("2026"), "mpa_rating": SAMPLE, "imdb_id": SAMPLE,
        "date_of_birth": window("U.S. presidents and members of Congress up to 2015 and Nobel laureates up to 2010"),
        "gender": window(CONGRESS),
        "votes_received": top(CANDIDATES),
        "election_date": window(ELECTIONS),
        "total_votes": window(ELECTIONS),
        "independence_date": SAMPLE,
        "height": window(PRESIDENTS), "children": window(PRESIDENTS),
        "postal_abbreviation": COMPLETE,
        "military_spending": window("the five latest World Factbook figures of each country"),
        "voting_age": sample("2025"),
        "area": window("countries, territories and major lakes"),
        "land_area": window(FACTBOOK), "water_area": window(FACTBOOK), "coastline": window(FACTBOOK),
        "mean_elevation": window("countries and territories whose mean elevation is in the World Factbook"),
        "elevation": window("the highest points of countries and territories that the World Factbook names"),
        "length": top(RIVERS),
        "water_type": top(LAKES),
        "population": window("figures for countries and regions for every fifth year from 1950 to 2020, and places with at least 15,000 inhabitants", "2026"),
        "male_population": window("figures for every fifth year from 1950 to 2020"),
        "female_population": window("figures for every fifth year from 1950 to 2020"),
        "latitude": window("places with at least 15,000 inhabitants, capitals and airports with an IATA code"),
        "longitude": window("places with at least 15,000 inhabitants, capitals and airports with an IATA code"),
        "utc_offset": COMPLETE,
        "iso_alpha2": COMPLETE, "iso_alpha3": COMPLETE, "top_level_domain": COMPLETE, "calling_code": COMPLETE,
        "anthem": window("countries and territories whose anthem is in the World Factbook"),
        "demonym": SAMPLE, "official_name": SAMPLE,
        "koppen_code": COMPLETE,
        "iso_language_code": SAMPLE,
        "fertility_rate": window("figures from 1964 to 2013"),
        "life_expectancy": window("figures from 1964 to 2013"),
        "median_age": window(LATEST), "birth_rate": window(LATEST), "death_rate": window(LATEST), "net_migration_rate": window(LATEST),
        "population_growth": window(LATEST), "infant_mortality": window(LATEST), "maternal_mortality": window(LATEST),
        "physician_density": window(LATEST), "hospital_bed_density": window(LATEST), "obesity_rate": window(LATEST),
        "urban_population": window(LATEST), "forest_share": window(LATEST), "agricultural_land": window(LATEST), "internet_users": window(LATEST),
        "gdp_ppp": window(THREE), "gdp_per_capita": window(THREE), "gdp_nominal": window(LATEST), "gdp_growth": window(THREE),
        "inflation": window(THREE), "unemployment": window(THREE), "exports": window(THREE), "imports": window(THREE),
        "current_account": window(THREE), "foreign_reserves": window(THREE), "public_debt": window(LATEST), "remittances": window(THREE),
        "labor_force": window(LATEST), "gini": window(LATEST), "poverty_rate": window(LATEST),
        "co2_per_capita": window("figures from 1950 to 2012"),
        "co2_total": window(LATEST), "electricity_consumption": window(LATEST), "electricity_capacity": window(LATEST),
        "iso_4217": window(CURRENCIES),
        "iata_code": window(AIRPORTS), "icao_code": window(AIRPORTS), "airport_elevation": window(AIRPORTS),
        "airline_code": window(AIRLINES),
        "railway_length": window(LATEST), "airport_count": window(LATEST), "merchant_ships": window(LATEST),
        "chemical_symbol": COMPLETE, "atomic_number": COMPLETE, "period": COMPLETE, "block": COMPLETE, "cas_number": COMPLETE,
        "electron_configuration": COMPLETE, "radioactive": COMPLETE, "atomic_weight": COMPLETE, "density": COMPLETE,
        "melting_point": window("elements that melt at normal pressure and whose melting point is known"),
        "boiling_point": SAMPLE, "electronegativity": SAMPLE, "electron_affinity": SAMPLE, "atomic_radius": SAMPLE,
        "ionization_energy": window("the first five ionization energies of elements up to meitnerium"),
        "covalent_radius": window("elements up to curium"),
        "van_der_waals_radius": window("elements up to lawrencium"),
        "specific_heat": SAMPLE, "thermal_conductivity": SAMPLE, "heat_of_fusion": SAMPLE, "heat_of_vaporization": SAMPLE,
        "crust_abundance": window("elements that occur in measurable amounts in Earth's crust"),
        "sea_abundance": SAMPLE,
        "price": sample("2020"),
        "oxidation_state": window("elements whose main oxidation states are known"),
        "discovery_year": SAMPLE,
        "mass_number": window(ISOTOPES), "atomic_mass": window(ISOTOPES),
        "natural_abundance": COMPLETE,
        "half_life": window("isotopes with a known half-life"),
        "founded": SAMPLE,
    },
}


# Attributes that fewer than 95 percent of the things of their class have; of countries and territories, the countries count.
OFTEN_MISSING = {
    "area", "atomic_radius", "boiling_point", "box_office", "children", "co2_per_capita", "covalent_radius", "crust_abundance",
    "current_account", "date_of_birth", "demonym", "discovery_year", "duration", "electricity_capacity",
    "electricity_consumption", "electron_affinity", "electronegativity", "elevation", "female_population", "fertility_rate",
    "foreign_reserves", "founded", "gender", "gini", "half_life", "heat_of_fusion", "heat_of_vaporization", "height",
    "hospital_bed_density", "independence_date", "ionization_energy", "labor_force", "latitude", "length", "life_expectancy",
    "longitude", "male_population", "mean_elevation", "melting_point", "merchant_ships", "metacritic_score", "military_spending",
    "mpa_rating", "natural_abundance", "official_name", "oxidation_state", "population", "poverty_rate", "price",
    "railway_length", "remittances", "sea_abundance", "specific_heat", "thermal_conductivity", "unemployment",
    "van_der_waals_radius", "votes_received", "voting_age",
}

# A limit is worth saying only if answers depend on it. Of these, at least 95 percent of the things of their class have a fact, or having none is a
# fact of the world (islands have no land borders), or the class of the subject states the same limit.
STATED_ELSEWHERE = {
    "class": ["political_territory", "award", "airport", "isotope", "currency"],
    "relation": [
        "member_of", "observer_of", "dependency_of", "official_language", "climate_zone", "located_in_country", "time_zone", "currency",
        "isotope_of", "winner", "election_place", "office_contested", "parent_committee", "borders",
    ],
    "attribute": [
        ident for ident, (coverage, _, _) in COVERAGE["attribute"].items()
        if coverage in ("window", "top") and ident not in OFTEN_MISSING and ident != "votes_received"
    ],
}
for kind, idents in STATED_ELSEWHERE.items():
    for ident in idents:
        COVERAGE[kind][ident] = ("complete", None, COVERAGE[kind][ident][2])
COVERAGE["relation"]["religion"] = top("the main religions", "2025")
COVERAGE["relation"]["ethnic_group"] = top("the main ethnic groups", "2025")

# Relations and attributes whose time is the year of a survey, of a prize or of a code, not the time when the fact held:
# "when" must not be asked of them.
SURVEY = {
    "religion", "ethnic_group", "export_partner", "import_partner", "export_commodity", "import_commodity", "agricultural_product",
    "affiliation",                   # the year of the prize
    "committee",                     # the year of the snapshot
    "currency",                      # the start is often that of the code (the Soviet Rouble of 1961)
    # One figure of each country, of the year of the latest survey.
    "median_age", "birth_rate", "death_rate", "net_migration_rate", "population_growth", "infant_mortality", "maternal_mortality",
    "physician_density", "hospital_bed_density", "obesity_rate", "urban_population", "forest_share", "agricultural_land", "internet_users",
    "gdp_nominal", "public_debt", "labor_force", "gini", "poverty_rate", "co2_total", "electricity_consumption", "electricity_capacity",
    "railway_length", "airport_count", "merchant_ships",
}
